//! Table port: stands between CAM port and CAM, with the same wires to both sides; asks the forwarding table first.
//!
//! State: the forwarding table with T1 and T2; with an external CAM the request register at its pins.
//!
//! Each cycle: what the table knows is an answer, in a cycle in which the CAM has none. What it does not know is loaded
//! into the request register, if that is empty or accepted; without an external CAM it is an answer too: no route.
//!
//! Source: switch reference, section 4.7.

use crate::units::prelude::*;

/// Between CAM port and CAM: asks the forwarding table first, and the CAM for what it does not know.
#[block(shape: &Shape, routing: &TableShape, table: &ForwardingTableShape)]
pub struct TablePort {
    pub clock: ClockIn,
    pub reset: Flag<In>,
    /// T0 holds a request.
    pub request_valid: Flag<In>,
    /// Tag of the request in T0.
    pub request_tag: Sig<In, tag_bits>,
    /// Address of the request in T0.
    pub request_address: Sig<In, address_bits>,
    /// T0 takes the next request.
    pub advance: Flag<Out>,
    #[made(CamResponse { valid: flag().doc("An answer is there."), ..cam_response(shape, routing) })]
    pub response: CamResponse<Out>,
    pub external: Option<ExternalCam<shape, routing>, { routing.external_cam }>,
    pub table: TableWrite<In, shape, table>,
    /// The table is being emptied.
    pub sweeping: Flag<Out>,
    /// Bit of the table's word that is stored inverted.
    pub flip: Option<
        Sig<In, { routing.table_parity.map_or(1, |word| word.bits as usize) }>,
        { routing.table_parity.is_some_and(|word| word.fault_pins) },
    >,
    /// A request read a word of the table with wrong parity.
    pub table_parity: Option<Flag<Out>, { routing.table_parity.is_some() }>,
    /// The table has an entry for an address that was looked up.
    pub known: Option<Flag<Out>, { shape.counter_bits.is_some() }>,
    /// The table has no entry for an address that was looked up.
    pub unknown: Option<Flag<Out>, { shape.counter_bits.is_some() }>,

    forwarding_table: ForwardingTable<shape, routing, table>,

    route_port: Field<{ route_layout(shape).port }, port_bits>,
    route_vc: Field<{ route_layout(shape).vc }, { shape.vc_bits as usize }>,
    route_vc_set: Number<{ route_layout(shape).vc_set }>,
    #[made(field(route_layout(shape).group, shape.link_aggregation.as_ref().map_or(1, |l| l.group_bits as usize)))]
    route_group: Field,
    route_group_set: Number<{ route_layout(shape).group_set }>,
    route_candidate: Number<{ route_layout(shape).candidate }>,
    route_candidates: Field<{ route_layout(shape).candidates }, { shape.candidates_bits() as usize }>,
    route_in_order: Number<{ route_layout(shape).in_order }>,
    port_bits: Number<{ shape.port_bits as usize }>,
    #[about]
    #[made(match routing.external_cam {
        true => "",
        false => "Behind the CAM port, in place of a CAM: asks the forwarding table.",
    })]
    comment: &'static str,
    tag_bits: Param<{ routing.tag_bits as usize }>,
    address_bits: Param<{ routing.address_bits as usize }>,
}

/// What there is if an external CAM is asked for what the table does not know.
#[group(shape: &Shape, routing: &TableShape)]
pub struct ExternalCam {
    pub cam_request: CamRequest<Out, routing>,
    #[made({
        let candidate = || sig(shape.port_bits as usize).doc("Further candidates that the answer names.");
        CamResponse {
            vc_set: shape.next_vc.then(|| flag().doc("The answer names a VC.")),
            vc: shape.next_vc.then(|| sig(shape.vc_bits as usize).doc("VC that the answer names.")),
            group_set: shape.link_aggregation.as_ref().map(|_| flag().doc("The answer names a group.")),
            candidate: many(shape.candidates - 1, candidate),
            ..cam_response(shape, routing)
        }
    })]
    pub cam_response: CamResponse<In>,
    /// The request register holds a request.
    asking: FlagReg,
    /// Tag in the request register.
    tag: Reg<{ routing.tag_bits as usize }, NoReset>,
    /// Address in the request register.
    address: Reg<{ routing.address_bits as usize }, NoReset>,
    /// The request register is loaded or becomes empty.
    free: Flag<Local>,
    /// T2 holds a request whose address is in the table.
    found: Flag<Local>,
    /// T2 holds a request whose address is not in the table.
    lacking: Flag<Local>,
}

#[kernel]
impl TablePort {
    fn update(&mut self) {
        self.look_up();
        self.answer();
        self.answer_from_cam();
        self.ask_cam();
    }

    fn look_up(&mut self) {
        self.forwarding_table.request_valid.next = self.request_valid.val();
        self.forwarding_table.request_tag.next = self.request_tag.val();
        self.forwarding_table.request_address.next = self.request_address.val();
        self.table.link(&mut self.forwarding_table.table);
        self.advance.next = self.forwarding_table.advance.val();
        self.sweeping.next = self.forwarding_table.sweeping.val();
        self.known.link(&mut self.forwarding_table.known);
        self.unknown.link(&mut self.forwarding_table.unknown);
        self.flip.link(&mut self.forwarding_table.flip);
        self.table_parity.link(&mut self.forwarding_table.table_parity);
    }

    /// The answer of the table.
    fn answer(&mut self) {
        let table = &mut self.forwarding_table;
        self.response.tag.next = table.result_tag.val();
        self.response.hit.next = table.result_known.val();
        self.response.port.next = table.result_route.val() >> self.route_port.val();
        if let (Some(vc), Some(vc_set)) = (&mut self.response.vc, &mut self.response.vc_set) {
            vc.next = table.result_route.val() >> self.route_vc.val();
            vc_set.next = table.result_route.val().get_bit(self.route_vc_set);
        }
        if let (Some(group), Some(group_set)) = (&mut self.response.group, &mut self.response.group_set) {
            group.next = table.result_route.val() >> self.route_group.val();
            group_set.next = table.result_route.val().get_bit(self.route_group_set);
        }
        for j in 0..self.response.candidate.len() {
            self.response.candidate[j].next =
                unsigned_cast(table.result_route.val() >> (j * self.port_bits + self.route_candidate));
        }
        if let (Some(candidates), Some(in_order)) = (&mut self.response.candidates, &mut self.response.in_order) {
            candidates.next = table.result_route.val() >> self.route_candidates.val();
            in_order.next = table.result_route.val().get_bit(self.route_in_order);
        }
        if self.external.is_none() {
            self.response.valid.next = table.result_valid.val();
            table.leave.next = true;
        }
    }

    /// The CAM's answer goes first.
    fn answer_from_cam(&mut self) {
        if let Some(external) = &mut self.external {
            let table = &self.forwarding_table;
            let cam = &external.cam_response;
            external.found.next = table.result_valid.val() & table.result_known.val();
            self.response.valid.next = cam.valid.val() | external.found.val();
            if cam.valid.val() {
                self.response.tag.next = cam.tag.val();
                self.response.hit.next = cam.hit.val();
                self.response.port.next = cam.port.val();
            }
            Self::take_word(&mut self.response.vc, &cam.vc, cam.valid.val());
            Self::take_flag(&mut self.response.vc_set, &cam.vc_set, cam.valid.val());
            Self::take_word(&mut self.response.group, &cam.group, cam.valid.val());
            Self::take_flag(&mut self.response.group_set, &cam.group_set, cam.valid.val());
            for j in 0..self.response.candidate.len() {
                if cam.valid.val() {
                    self.response.candidate[j].next = cam.candidate[j].val();
                }
            }
            Self::take_word(&mut self.response.candidates, &cam.candidates, cam.valid.val());
            Self::take_flag(&mut self.response.in_order, &cam.in_order, cam.valid.val());
        }
    }

    fn take_word(response: &mut Option<Sig<Out>>, cam: &Option<Sig<In>>, taken: bool) {
        if let (Some(response), Some(cam)) = (response, cam) {
            if taken {
                response.next = cam.val();
            }
        }
    }

    fn take_flag(response: &mut Option<Flag<Out>>, cam: &Option<Flag<In>>, taken: bool) {
        if let (Some(response), Some(cam)) = (response, cam) {
            if taken {
                response.next = cam.val();
            }
        }
    }

    /// What the table does not know goes into the request register.
    fn ask_cam(&mut self) {
        if let Some(external) = &mut self.external {
            let table = &mut self.forwarding_table;
            external.lacking.next = table.result_valid.val() & !table.result_known.val();
            external.free.next = !external.asking.q.val() | external.cam_request.ready.val();
            table.leave.next = (external.found.val() & !external.cam_response.valid.val())
                | (external.lacking.val() & external.free.val());
            if external.free.val() {
                external.asking.d.next = external.lacking.val();
                external.tag.d.next = table.result_tag.val();
                if let Some(address) = &table.result_address {
                    external.address.d.next = address.val();
                }
            }
            external.cam_request.valid.next = external.asking.q.val();
            external.cam_request.tag.next = external.tag.q.val();
            external.cam_request.address.next = external.address.q.val();
        }
    }
}

#[cfg(test)]
mod tests;
