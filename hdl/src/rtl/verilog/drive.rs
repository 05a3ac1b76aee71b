//! Who drives what: walks the kernel as it would run, every loop turn by turn, and finds latches, undriven signals,
//! indices out of range and combinational loops; then groups the statements that must stay together.
//!
//! A kernel is a sequence: a read gives what was assigned so far. Logic that reads only finished values can be a
//! process of its own; a read between two assignments keeps reader and writer in one process.

use super::elaborate::Elaborated;
use super::error::ElaborationError;
use super::ir::*;
use super::scope::{Role, Scope};
use super::simplify;

/// Statements that make one `assign` or one `always @*`.
#[derive(Debug)]
pub(crate) struct Process {
    /// What it drives, in declaration order.
    pub drives: Vec<VariableId>,
    pub statements: Vec<Statement>,
    /// Whether it reads anything but what it drives.
    pub has_inputs: bool,
}

/// What is known of the variables of a module after the walk.
#[derive(Default)]
pub struct Driven {
    pub processes: Vec<Process>,
    /// What registers become, in the order of the kernel: statements of the clocked block.
    pub updates: Vec<Statement>,
    /// Variables that the clocked block drives.
    pub clocked: Vec<bool>,
    /// Variables that are read by the kernel.
    pub read: Vec<bool>,
}

pub fn analyse(scope: &Scope, block: &str, elaborated: &Elaborated, errors: &mut Vec<ElaborationError>) -> Driven {
    let statements = &elaborated.statements[..];
    let mut base = vec![0; scope.variables.len() + 1];
    for (i, variable) in scope.variables.iter().enumerate() {
        base[i + 1] = base[i] + variable.elements();
    }
    let elements = base[scope.variables.len()];
    let mut walk = Walk {
        scope,
        block,
        errors,
        base,
        time: 0,
        loops: vec![],
        conditions: vec![],
        assigned: vec![false; elements],
        log: vec![],
        first_write: vec![u32::MAX; elements],
        last_write: vec![0; elements],
        reads: vec![],
    };
    walk.statements(statements);
    walk.check_all_assigned();
    let mut groups = walk.group();
    let (processes, clocked) = walk.split(statements, elaborated.defaults, &mut groups);
    let updates = simplify::updates(scope, projected(statements, &|variable| clocked[variable]));
    let mut read = vec![false; scope.variables.len()];
    for access in &walk.reads {
        read[access.variable] = true;
    }
    Driven { processes, updates, clocked, read }
}

/// Elements of a variable, read by logic that writes `writer`.
struct Read {
    variable: VariableId,
    first: usize,
    count: usize,
    time: u32,
    writer: VariableId,
    assigned: bool,
}

#[derive(Clone)]
struct Source {
    variable: VariableId,
    first: usize,
    count: usize,
    time: u32,
    assigned: bool,
}

struct Walk<'a> {
    scope: &'a Scope,
    block: &'a str,
    errors: &'a mut Vec<ElaborationError>,
    /// Number of the first element of each variable.
    base: Vec<usize>,
    time: u32,
    loops: Loops,
    /// What the conditions around the current statement read.
    conditions: Vec<Vec<Source>>,
    assigned: Vec<bool>,
    /// Elements assigned since the innermost branch began.
    log: Vec<usize>,
    first_write: Vec<u32>,
    last_write: Vec<u32>,
    reads: Vec<Read>,
}

impl Walk<'_> {
    fn error(&mut self, variable: VariableId, message: impl Into<String>) {
        let signal = self.scope.variables[variable].name.clone();
        let error = ElaborationError { block: self.block.into(), signal, message: message.into() };
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// The elements that a selection means: first and count.
    fn elements(&mut self, select: &Select, width: usize) -> (usize, usize) {
        let variable = &self.scope.variables[select.variable];
        let (base, all) = (self.base[select.variable], variable.elements());
        let bits = if select.indices.is_empty() { variable.bits() } else { variable.width };
        if let Some(lsb) = select.lsb.value(&self.loops) {
            if lsb < 0 || lsb as usize + width > bits {
                self.error(select.variable, format!("{width} bits at {lsb} are out of range: it has {bits}"));
            }
        }
        let mut flat = 0;
        for (index, dim) in select.indices.iter().zip(&variable.dims) {
            match index.value(&self.loops) {
                Some(i) if i >= 0 && (i as usize) < *dim => flat = flat * dim + i as usize,
                Some(i) => {
                    self.error(select.variable, format!("index {i} is out of range: it has {dim} elements"));
                    return (base, all);
                }
                None if index.is_dynamic() => return (base, all),
                None => {
                    self.error(select.variable, "index arithmetic has no result");
                    return (base, all);
                }
            }
        }
        if select.indices.is_empty() {
            (base, all)
        } else {
            (base + flat, 1)
        }
    }

    fn sources(&mut self, expression: &Expression) -> Vec<Source> {
        let mut selects = vec![];
        expression.for_each_select(&mut |select, width| selects.push((select, width)));
        let mut sources = vec![];
        for (select, width) in selects {
            let (first, count) = self.elements(select, width);
            let assigned = self.assigned[first..first + count].iter().all(|a| *a);
            sources.push(Source { variable: select.variable, first, count, time: self.time, assigned });
        }
        sources
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        self.time += 1;
        match statement {
            Statement::Note(_) => {}
            Statement::Element { body, .. } => self.statements(body),
            Statement::Set { target, partial, value } => self.set(target, *partial, value),
            Statement::If { condition, then, otherwise } => match condition.decided(&self.loops) {
                Some(true) => self.statements(then),
                Some(false) => self.statements(otherwise),
                None => {
                    let sources = self.sources(condition);
                    self.branches(sources, &[then, otherwise]);
                }
            },
            Statement::Case { value, arms } => {
                let sources = self.sources(value);
                let mut bodies: Vec<&[Statement]> = arms.iter().map(|arm| arm.1.as_slice()).collect();
                let complete = value.width < 32 && arms.len() >= 1 << value.width;
                if !complete && arms.iter().all(|arm| arm.0.is_some()) {
                    bodies.push(&[]);
                }
                self.branches(sources, &bodies);
            }
            Statement::For { index, from, to, body } => {
                for i in *from..to.number {
                    self.loops.push((index.clone(), i));
                    self.statements(body);
                    self.loops.pop();
                }
            }
        }
    }

    /// Runs each branch from the same start; afterwards only what every branch assigns counts as assigned.
    fn branches(&mut self, condition: Vec<Source>, bodies: &[&[Statement]]) {
        self.conditions.push(condition);
        let outer = std::mem::take(&mut self.log);
        let mut common: Option<Vec<usize>> = None;
        for body in bodies {
            self.statements(body);
            let mut assigned = std::mem::take(&mut self.log);
            for element in &assigned {
                self.assigned[*element] = false;
            }
            assigned.sort_unstable();
            common = Some(match common {
                None => assigned,
                Some(common) => common.into_iter().filter(|e| assigned.binary_search(e).is_ok()).collect(),
            });
        }
        self.log = outer;
        for element in common.unwrap_or_default() {
            self.assigned[element] = true;
            self.log.push(element);
        }
        self.conditions.pop();
    }

    fn set(&mut self, target: &Select, partial: bool, value: &Expression) {
        let mut sources = self.sources(value);
        for index in target.indices.iter().chain([&target.lsb]) {
            if let Index::Signal(position) = index {
                sources.extend(self.sources(position));
            }
        }
        sources.extend(self.conditions.iter().flatten().cloned());
        let writer = target.variable;
        for Source { variable, first, count, time, assigned } in sources {
            self.reads.push(Read { variable, first, count, time, writer, assigned });
        }
        let (first, count) = self.elements(target, value.width);
        for element in first..first + count {
            if partial && !self.assigned[element] {
                self.error(writer, "a bit is replaced before the signal has a value: assign a default first");
            }
            self.first_write[element] = self.first_write[element].min(self.time);
            self.last_write[element] = self.time;
            if !self.assigned[element] {
                self.assigned[element] = true;
                self.log.push(element);
            }
        }
    }

    fn check_all_assigned(&mut self) {
        for (id, variable) in self.scope.variables.iter().enumerate() {
            if !variable.role.driven_here() {
                continue;
            }
            let elements = self.base[id]..self.base[id + 1];
            let Some(missing) = elements.clone().find(|e| !self.assigned[*e]) else { continue };
            let which = match variable.dims.is_empty() {
                true => String::new(),
                false => format!("element {} ", missing - elements.start),
            };
            if self.first_write[missing] == u32::MAX {
                self.error(id, format!("{which}is never assigned"));
            } else {
                self.error(
                    id,
                    format!("{which}is not assigned on every path (it would be a latch): assign a default first"),
                );
            }
        }
    }

    /// Which variables one process drives.
    fn group(&mut self) -> Groups {
        let count = self.scope.variables.len();
        let mut groups = Groups::new(count);
        let mut edges: Vec<Vec<VariableId>> = vec![vec![]; count];
        for read in &self.reads {
            if read.variable == read.writer || !self.scope.variables[read.variable].role.driven_here() {
                continue;
            }
            let between = (read.first..read.first + read.count)
                .any(|e| self.first_write[e] < read.time && self.last_write[e] >= read.time);
            if between {
                groups.join(read.variable, read.writer);
            }
            if edges[read.writer].last() != Some(&read.variable) {
                edges[read.writer].push(read.variable);
            }
        }
        join_cycles(&edges, &mut groups);
        let mut reported = vec![];
        for read in &self.reads {
            let driven = self.scope.variables[read.variable].role.driven_here();
            if driven && !read.assigned && groups.find(read.variable) == groups.find(read.writer) {
                reported.push((read.variable, read.writer));
            }
        }
        reported.sort_unstable();
        reported.dedup();
        for (variable, writer) in reported {
            let writer = self.scope.variables[writer].name.clone();
            let message =
                format!("is read for `{writer}` before it has a value: a combinational loop, or the wrong order");
            self.error(variable, message);
        }
        groups
    }

    /// Cuts the statements into the groups' processes, in the order of their first statements. Of the first `defaults`
    /// statements only those count that nothing else is there for. Tells which variables the clocked block drives in
    /// place of a process: registers that share none with a wire.
    fn split(&mut self, statements: &[Statement], defaults: usize, groups: &mut Groups) -> (Vec<Process>, Vec<bool>) {
        let count = self.scope.variables.len();
        let root: Vec<usize> = (0..count).map(|v| groups.find(v)).collect();
        let mut drives: Vec<Vec<VariableId>> = vec![vec![]; count];
        for (variable, group) in root.iter().enumerate() {
            drives[*group].push(variable);
        }
        let next = |v: VariableId| self.scope.variables[v].role == Role::RegisterNext;
        let clocked: Vec<bool> = (0..count).map(|v| next(v) && drives[root[v]].len() == 1).collect();
        let mut of_group: Vec<Vec<usize>> = vec![vec![]; count];
        let mut order = vec![];
        for (i, statement) in statements.iter().enumerate() {
            statement.for_each_write(&mut |variable| {
                let group = groups.find(variable);
                if i >= defaults && of_group[group].last().is_none_or(|last| *last < defaults) {
                    order.push(group);
                }
                if of_group[group].last() != Some(&i) {
                    of_group[group].push(i);
                }
            });
        }
        order.extend((0..count).filter(|group| of_group[*group].last().is_some_and(|last| *last < defaults)));
        let mut inputs = vec![false; count];
        for read in &self.reads {
            let group = groups.find(read.writer);
            inputs[group] |= groups.find(read.variable) != group;
        }
        order.retain(|group| !clocked[*group]);
        let mut notes = statements.iter().enumerate().filter(|(_, s)| matches!(s, Statement::Note(_))).peekable();
        let mut processes = vec![];
        for group in order {
            let mut kept = vec![];
            while let Some((_, note)) = notes.next_if(|(i, _)| *i < of_group[group][0]) {
                kept.push(note.clone());
            }
            kept.extend(of_group[group].iter().filter_map(|i| statements[*i].project(&|v| root[v] == group)));
            let drives = std::mem::take(&mut drives[group]);
            let mut statements = without_dead(kept);
            if inputs[group] {
                statements = simplify::process(self.scope, &drives, statements);
            }
            processes.push(Process { drives, statements, has_inputs: inputs[group] });
        }
        (processes, clocked)
    }
}

/// Drops an assignment that a later one overrides before anything reads it (a default that was not needed).
fn without_dead(statements: Vec<Statement>) -> Vec<Statement> {
    let mut out: Vec<Statement> = vec![];
    for statement in statements {
        if let (
            Some(Statement::Set { target: old, partial: false, .. }),
            Statement::Set { target, partial: false, value },
        ) = (out.last(), &statement)
        {
            let mut reads_old = false;
            value.for_each_select(&mut |select, _| reads_old |= select.variable == old.variable);
            if old == target && !reads_old {
                out.pop();
            }
        }
        out.push(statement);
    }
    out
}

/// Disjoint sets of variables.
struct Groups {
    parent: Vec<usize>,
}

impl Groups {
    fn new(count: usize) -> Groups {
        Groups { parent: (0..count).collect() }
    }

    fn find(&mut self, mut i: usize) -> usize {
        while self.parent[i] != i {
            self.parent[i] = self.parent[self.parent[i]];
            i = self.parent[i];
        }
        i
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b)] = a.min(b);
    }
}

/// Processes that read each other become one: arrays whose elements feed each other, or a real loop (which the
/// caller then sees as a read before the write).
fn join_cycles(edges: &[Vec<VariableId>], groups: &mut Groups) {
    // Kosaraju on groups: order by finishing time, then the reversed graph.
    let count = edges.len();
    let mut forward: Vec<Vec<usize>> = vec![vec![]; count];
    let mut backward: Vec<Vec<usize>> = vec![vec![]; count];
    for (from, all) in edges.iter().enumerate() {
        for to in all {
            let (a, b) = (groups.find(from), groups.find(*to));
            if a != b {
                forward[a].push(b);
                backward[b].push(a);
            }
        }
    }
    let mut seen = vec![false; count];
    let mut finished = vec![];
    for start in 0..count {
        let mut stack = vec![(start, 0)];
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        while let Some((node, next)) = stack.last_mut() {
            match forward[*node].get(*next) {
                Some(&to) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[to], true) {
                        stack.push((to, 0));
                    }
                }
                None => {
                    finished.push(*node);
                    stack.pop();
                }
            }
        }
    }
    let mut component = vec![usize::MAX; count];
    for start in finished.into_iter().rev() {
        if component[start] != usize::MAX {
            continue;
        }
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            if component[node] == usize::MAX {
                component[node] = start;
                groups.join(node, start);
                stack.extend(backward[node].iter().filter(|n| component[**n] == usize::MAX));
            }
        }
    }
}
