//! Section 5: route queue.

use super::state::*;

impl Literal {
    pub fn queue_results(&mut self, old: &Literal, wires: &mut Wires) {
        let (n, k, t) = (old.shape.ports, old.shape.vcs, old.t);
        let Wires { head_taken, pushed, replaced, .. } = wires;
        for e in 0..n * k {
            let (was, now) = (&old.vcs[e], &mut self.vcs[e]);
            if was.head.is_none() || head_taken[e] {
                now.head = None;
                if was.queue.front().is_some_and(|q| q.0 + 2 <= t) {
                    now.head = now.queue.pop_front().map(|q| q.1);
                } else if was.queue.is_empty() {
                    now.head = pushed[e].take();
                }
            } else if replaced[e].is_some() {
                now.head = replaced[e];
            }
            if let Some(result) = pushed[e] {
                now.queue.push_back((t, result));
            }
        }
    }
}
