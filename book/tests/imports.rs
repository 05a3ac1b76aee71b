//! No circle of imports inside a crate: files can be read from the ground up.
//!
//! A file imports another if it names something that is defined there, by `use` or by a path. Names that a module hands
//! on with `pub use` count for the file that defines them. A module is a part of its parent, so that what it takes from
//! a file above it is no import. Tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::Visit;
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree, Visibility};

/// Crates with a circle each, of the language in which the hardware is written: its wires and bundles, and its kernels,
/// contain each other.
const WITH_CIRCLES: [&str; 2] = ["hdl", "hdl-macros"];

/// A module's path inside its crate; that of the root is empty.
type Module = Vec<String>;

/// A file of a crate.
#[derive(Default)]
struct Source {
    path: PathBuf,
    /// Names handed on or taken in, with the paths that they stand for.
    aliases: BTreeMap<String, Module>,
    /// Paths from which all names are taken.
    globs: Vec<Module>,
    /// Paths that are named.
    named: BTreeSet<Module>,
}

#[test]
fn no_crate_has_a_circle_of_imports() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let members = manifest.split("members = [").nth(1).unwrap().split(']').next().unwrap();
    let members: Vec<&str> = members.split('"').skip(1).step_by(2).collect();
    assert!(members.len() > 10, "{members:?}");
    let held = members.iter().filter(|member| !WITH_CIRCLES.contains(member));
    let circles: Vec<String> = held.flat_map(|member| circles(&root.join(member).join("src"))).collect();
    assert!(circles.is_empty(), "{} circles:\n{}", circles.len(), circles.join("\n"));
}

/// The circles of a crate, each a list of files.
fn circles(folder: &Path) -> Vec<String> {
    let mut sources = BTreeMap::new();
    read_folder(folder, &[], &mut sources);
    let imports = imports(&sources);
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        sources.keys().map(|module| (module, reached(module, &imports))).collect();
    let mut circles: Vec<BTreeSet<&Module>> = Vec::new();
    for module in sources.keys().filter(|module| reached[module].contains(module)) {
        let circle: BTreeSet<&Module> =
            reached[module].iter().copied().filter(|other| reached[other].contains(module)).collect();
        if !circles.contains(&circle) {
            circles.push(circle);
        }
    }
    let text = |circle: &BTreeSet<&Module>| {
        let inside = |from: &&Module, to: &Module| circle.contains(*from) && circle.contains(to);
        let arrows = imports.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to)));
        let arrows = arrows.filter(|(from, to)| inside(from, to));
        let shown =
            arrows.map(|(from, to)| format!("  {} -> {}", sources[from].path.display(), sources[to].path.display()));
        shown.collect::<Vec<_>>().join("\n")
    };
    circles.iter().map(text).collect()
}

fn reached<'a>(from: &'a Module, imports: &'a BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<&'a Module> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(module) = open.pop() {
        open.extend(imports[module].iter().filter(|next| reached.insert(*next)));
    }
    reached
}

/// The files that each file imports.
fn imports(sources: &BTreeMap<Module, Source>) -> BTreeMap<Module, BTreeSet<Module>> {
    let of = |(module, source): (&Module, &Source)| {
        let found = source.named.iter().filter_map(|path| resolve(path, sources, 0));
        let others = found.filter(|found| !module.starts_with(found));
        (module.clone(), others.collect())
    };
    sources.iter().map(of).collect()
}

/// The file in which a path is defined.
fn resolve(path: &[String], sources: &BTreeMap<Module, Source>, depth: usize) -> Option<Module> {
    let at = (0..=path.len()).rev().find(|&length| sources.contains_key(&path[..length]))?;
    let (module, rest) = path.split_at(at);
    let Some(name) = rest.first().filter(|_| depth < 8) else { return Some(module.to_vec()) };
    let source = &sources[module];
    let handed = source.aliases.get(name).map(|target| [target, &rest[1..]].concat());
    let by_glob = || source.globs.iter().map(|target| [target, rest].concat()).collect::<Vec<_>>();
    match handed {
        Some(target) => resolve(&target, sources, depth + 1),
        None if source.globs.len() == 1 => resolve(&by_glob()[0], sources, depth + 1),
        None => Some(module.to_vec()),
    }
}

/// Reads all files of a folder that are no tests.
fn read_folder(folder: &Path, module: &[String], sources: &mut BTreeMap<Module, Source>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_stem().unwrap().to_str().unwrap().to_string();
        if name.ends_with("tests") || name == "main" {
            continue;
        }
        let inside = match name.as_str() {
            "lib" | "mod" => module.to_vec(),
            _ => [module, &[name]].concat(),
        };
        if path.is_dir() {
            read_folder(&path, &inside, sources);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let file = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
            let mut reader = Reader { module: &inside, source: Source { path, ..Source::default() } };
            file.items.iter().for_each(|item| reader.visit_item(item));
            sources.insert(inside.clone(), reader.source);
        }
    }
}

struct Reader<'a> {
    module: &'a [String],
    source: Source,
}

impl Reader<'_> {
    /// A path from the crate's root on, if it is one of this crate.
    fn absolute(&self, path: &[String]) -> Option<Module> {
        let above = path.iter().take_while(|name| *name == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([self.module, &path[1..]].concat()),
            "super" => Some([&self.module[..self.module.len().checked_sub(above)?], &path[above..]].concat()),
            _ => None,
        }
    }

    fn take(&mut self, tree: &UseTree, before: &[String], hands_on: bool) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        let (path, alias) = match tree {
            UseTree::Path(tree) => return self.take(&tree.tree, &with(&tree.ident), hands_on),
            UseTree::Group(tree) => return tree.items.iter().for_each(|item| self.take(item, before, hands_on)),
            UseTree::Name(tree) if tree.ident == "self" => (before.to_vec(), before.last().cloned()),
            UseTree::Name(tree) => (with(&tree.ident), Some(tree.ident.to_string())),
            UseTree::Rename(tree) => (with(&tree.ident), Some(tree.rename.to_string())),
            UseTree::Glob(_) => (before.to_vec(), None),
        };
        // A path that begins with the name of a module of this file.
        let relative = || (path.len() > 1).then(|| [self.module, &path].concat());
        let Some(target) = self.absolute(&path).or_else(relative) else { return };
        match alias {
            Some(alias) => drop(self.source.aliases.insert(alias, target.clone())),
            None => self.source.globs.push(target.clone()),
        }
        if !hands_on {
            self.source.named.insert(target);
        }
    }
}

impl<'a> Visit<'a> for Reader<'_> {
    fn visit_item(&mut self, item: &'a Item) {
        if !attributes(item).iter().any(is_test) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        self.take(&item.tree, &[], !matches!(item.vis, Visibility::Inherited));
    }

    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        item.content.iter().flat_map(|(_, items)| items).for_each(|item| self.visit_item(item));
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let relative = || (names.len() > 1).then(|| [self.module, &names].concat());
        self.source.named.extend(self.absolute(&names).or_else(relative));
        syn::visit::visit_path(self, path);
    }
}

fn is_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
