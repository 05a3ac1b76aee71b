"""Reads every NAME.rdl and NAME.svd of a folder with tools that are not ours.

PeakRDL makes HTML, a UVM register model, IP-XACT and a C header of each NAME.rdl. What the SystemRDL and the IP-XACT say is
written to NAME.rdl.json and NAME.xml.json, in the form of `railyard registers --json`. NAME.svd is held against the schema of
CMSIS-SVD, and what it says is written to NAME.svd.json.
"""

import importlib.resources
import json
import pathlib
import sys

import cmsis_svd
from cmsis_svd.parser import SVDParser
from lxml import etree
from peakrdl_cheader.exporter import CHeaderExporter
from peakrdl_html import HTMLExporter
from peakrdl_ipxact import IPXACTExporter, IPXACTImporter
from peakrdl_uvm import UVMExporter
from systemrdl import RDLCompiler, warnings
from systemrdl.node import RegNode
from systemrdl.rdltypes import AccessType, OnWriteType

ACCESS = {
    (AccessType.r, None): "read_only",
    (AccessType.rw, None): "read_write",
    (AccessType.w, None): "command",
    (AccessType.rw, OnWriteType.woclr): "write_one_clears",
}
SVD_ACCESS = {
    ("read-only", None): "read_only",
    ("read-write", None): "read_write",
    ("write-only", None): "command",
    ("read-write", "oneToClear"): "write_one_clears",
}
SVD_SCHEMA = "schemas/CMSIS-SVD_1_1.xsd"


def compiled(file, reader=None):
    """The top address map of a file; a warning is an error."""
    compiler = RDLCompiler(error_flags=warnings.ALL)
    if reader:
        reader(compiler).import_file(str(file))
    else:
        compiler.compile_file(str(file))
    return compiler.elaborate().top


def registers(top):
    """The registers below an address map, arrays as one."""
    return [register(node) for node in top.descendants(unroll=False) if isinstance(node, RegNode)]


def register(node):
    fields = node.fields()
    (access,) = {(field.get_property("sw"), field.get_property("onwrite")) for field in fields}
    if node.is_array:
        assert node.array_stride == 4
    return {
        "name": node.inst_name,
        "address": node.raw_absolute_address,
        "count": node.array_dimensions[0] if node.is_array else 1,
        "access": ACCESS[access],
        "fields": [field_of(field) for field in fields],
        "meaning": node.get_property("desc"),
    }


def field_of(field):
    return {
        "name": field.inst_name,
        "low": field.low,
        "bits": field.width,
        "reset": field.get_property("reset"),
        "meaning": field.get_property("desc"),
    }


def svd_registers(file):
    """The registers of the only peripheral; values after reset are those of whole words there."""
    (peripheral,) = SVDParser.for_xml_file(str(file)).get_device().peripherals
    return [svd_register(getattr(one, "meta_register", one)) for one in peripheral.registers]


def svd_register(node):
    written = node.modified_write_values
    access = (node.access.value, written.value if written else None)
    return {
        "name": node.name.removesuffix("[%s]"),
        "address": node.address_offset,
        "count": node.dim or 1,
        "access": SVD_ACCESS[access],
        "fields": [{"name": f.name, "low": f.bit_offset, "bits": f.bit_width} for f in node.fields],
        "meaning": node.description,
        "reset": node.reset_value,
    }


def write(folder, name, value):
    (folder / f"{name}.json").write_text(json.dumps(value))


def main(folder):
    schema = etree.XMLSchema(etree.parse(str(importlib.resources.files(cmsis_svd) / SVD_SCHEMA)))
    for file in sorted(folder.glob("*.rdl")):
        top = compiled(file)
        write(folder, file.name, registers(top))
        ip_xact = file.with_suffix(".xml")
        HTMLExporter().export(top, str(file.with_suffix(".html_folder")))
        UVMExporter().export(top, str(file.with_suffix(".sv")))
        CHeaderExporter().export(top, str(file.with_suffix(".peakrdl.h")))
        IPXACTExporter().export(top, str(ip_xact))
        write(folder, ip_xact.name, registers(compiled(ip_xact, IPXACTImporter)))
    for file in sorted(folder.glob("*.svd")):
        schema.assertValid(etree.parse(str(file)))
        write(folder, file.name, svd_registers(file))


main(pathlib.Path(sys.argv[1]))
