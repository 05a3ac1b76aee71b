//! The text that describes a run to CAMINOS.

/// How packets find their ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerRouting {
    /// By shortest ways, on which global links are avoided: at most a local, a global and a local one.
    Minimal,
    /// By a router that is drawn among all.
    Valiant,
}

/// Where packets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerPattern {
    /// To any other node.
    Uniform,
    /// To any node of the next group.
    NextGroup,
}

/// The router's model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerRouter {
    /// A router without cycles of its own: they are on the links.
    Basic,
    /// A router with an allocator, and a crossbar with a delay.
    InputOutput,
}

/// A run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeerRun {
    /// Global links of a router; nodes, too.
    pub h: usize,
    /// Routing.
    pub routing: PeerRouting,
    /// Pattern.
    pub pattern: PeerPattern,
    /// Router.
    pub router: PeerRouter,
    /// Flits for each node and cycle.
    pub load: f64,
    /// Flits of a packet, and of the buffer of a VC.
    pub packet: usize,
    pub buffer: usize,
    /// Cycles of a header through a switch.
    pub switch_cycles: usize,
    /// Cycles of local, global and node links.
    pub links: [usize; 3],
    /// Cycles of the warm-up, and those measured.
    pub warm_up: u64,
    pub measured: u64,
    /// Seed.
    pub seed: u64,
}

impl PeerRun {
    fn routers(&self) -> usize {
        2 * self.h
    }

    fn groups(&self) -> usize {
        2 * self.h * self.h + 1
    }

    fn nodes(&self) -> usize {
        self.h * self.routers() * self.groups()
    }

    /// Its text.
    pub fn configuration(&self) -> String {
        let PeerRun { h, load, packet, warm_up, measured, seed, .. } = self;
        let (routers, nodes) = (self.routers(), self.nodes());
        let (pattern, routing, router) = (self.pattern(), self.routing(), self.router());
        let link = |cycles: usize| format!("LinkClass {{ delay: {cycles} }}");
        // A way has a link more than routers: two links of nodes have the cycles of one router.
        let more = match self.router {
            PeerRouter::Basic => self.switch_cycles,
            PeerRouter::InputOutput => 0,
        };
        let [local, global, node] = self.links;
        let links = [link(local + more), link(global + more), link(node + more / 2)].join(", ");
        format!(
            "Configuration {{\n\
             random_seed: {seed},\nwarmup: {warm_up},\nmeasured: {measured},\n\
             topology: Dragonfly {{ global_ports_per_router: {h}, servers_per_router: {h}, group_size: {routers}, \
             global_arrangement: Palmtree }},\n\
             traffic: HomogeneousTraffic {{ pattern: {pattern}, tasks: {nodes}, load: {load}, \
             message_size: {packet} }},\n\
             maximum_packet_size: {packet},\n\
             router: {router},\nrouting: {routing},\nlink_classes: [{links}],\n}}\n"
        )
    }

    fn pattern(&self) -> String {
        let (block, groups) = (self.h * self.routers(), self.groups());
        match self.pattern {
            PeerPattern::Uniform => "Uniform".into(),
            PeerPattern::NextGroup => format!(
                "Product {{ block_size: {block}, block_pattern: Uniform {{ allow_self: true }}, \
                 global_pattern: CartesianTransform {{ sides: [{groups}], shift: [1] }} }}"
            ),
        }
    }

    /// VCs of a router: those of local links.
    fn vcs(&self) -> usize {
        match self.routing {
            PeerRouting::Minimal => 2,
            PeerRouting::Valiant => 4,
        }
    }

    fn routing(&self) -> String {
        // By class of link: local, global, node; by the hop's number on the shortest way. A global link in front makes
        // the local one behind it the second letter of the same kind.
        let shortest = |local: usize, global: usize| {
            let (own, next) = (local, local + 1);
            let any: Vec<String> = (0..self.vcs()).map(|vc| vc.to_string()).collect();
            let any = any.join(",");
            format!(
                "ChannelsPerHopPerLinkClass {{ routing: WeighedShortest {{ class_weight: [1, 100] }}, \
                 use_total_hops: true, channels: \
                 [[[{own}],[{next}],[{next}],[{next}]], [[{global}],[{global}],[{global}],[{global}]], \
                 [[{any}],[{any}],[{any}],[{any}]]] }}"
            )
        };
        match self.routing {
            PeerRouting::Minimal => shortest(0, 0),
            PeerRouting::Valiant => {
                let [first, second] = [shortest(0, 0), shortest(2, 1)];
                format!("Valiant {{ first: {first}, second: {second} }}")
            }
        }
    }

    fn router(&self) -> String {
        let PeerRun { packet, buffer, .. } = self;
        let common = format!(
            "virtual_channels: {}, virtual_channel_policies: [EnforceFlowControl, Random], buffer_size: {buffer}, \
             bubble: false, flit_size: {packet}, intransit_priority: false, allow_request_busy_port: true",
            self.vcs()
        );
        match self.router {
            PeerRouter::Basic => {
                let more = "delay: 0, output_prioritize_lowest_label: false";
                format!("Basic {{ {common}, {more}, output_buffer_size: {} }}", 2 * packet)
            }
            PeerRouter::InputOutput => {
                let delay = self.switch_cycles;
                format!(
                    "InputOutput {{ {common}, crossbar_delay: {delay}, output_buffer_size: {}, \
                     allocator: Islip {{ num_iter: 2 }} }}",
                    2 * packet
                )
            }
        }
    }
}
