//! Energy of table look-ups: Hirasawa2022, 4.4.1, equation 4.5.

use serde::{Deserialize, Serialize};

/// Constants of the equation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LookupConstants {
    /// Energy of a cache read in nJ.
    pub cache_nj: f64,
    /// Static power of a cache in mW.
    pub cache_mw: f64,
    /// Energy of a CAM search in nJ.
    pub cam_nj: f64,
    /// Static power of the CAM in mW.
    pub cam_mw: f64,
    /// Where they come from.
    pub source: String,
}

impl LookupConstants {
    /// As printed in Hirasawa2022: CACTI 6.5 for the cache (24 KiB, 4 ways, 45 nm), its references 99 and 100 for the
    /// CAM.
    pub fn hirasawa_2022() -> Self {
        let source = "Hirasawa2022, 4.4.1: CACTI 6.5 (cache), its references 99, 100 (CAM)".to_string();
        Self { cache_nj: 0.039, cache_mw: 13.0, cam_nj: 42.0, cam_mw: 36.0, source }
    }

    /// S = n (Ecache + Ecam r) + (d Pcache + Pcam) in W, for `packets` a second in the whole switch, `ports` caches,
    /// and the share `misses` of look-ups that miss.
    pub fn power_w(&self, packets: f64, ports: u32, misses: f64) -> f64 {
        let dynamic = packets * (self.cache_nj + self.cam_nj * misses) * 1e-9;
        dynamic + (f64::from(ports) * self.cache_mw + self.cam_mw) * 1e-3
    }

    /// The same without caches: every packet searches the CAM.
    pub fn conventional_w(&self, packets: f64) -> f64 {
        packets * self.cam_nj * 1e-9 + self.cam_mw * 1e-3
    }
}

/// Packets a second of a bit rate, in slots of 84 bytes (672 bits): the shortest frame with gap and preamble.
pub fn packets_per_second(bits_per_second: f64) -> f64 {
    bits_per_second / SLOT_BITS
}

/// Bits of the shortest packet's slot.
pub const SLOT_BITS: f64 = 672.0;

/// Look-up power of a design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LookupEnergy {
    /// Constants used.
    pub constants: LookupConstants,
    /// Ports (input caches).
    pub ports: u32,
    /// Bit rate of the whole switch in Gbit/s that it is for, in shortest frames.
    pub gbps: f64,
    /// Without caches, in W.
    pub conventional_w: f64,
    /// At 1 % misses, in W; with caches only.
    pub one_percent_w: Option<f64>,
    /// At no misses, in W; with caches only.
    pub no_miss_w: Option<f64>,
}

impl LookupEnergy {
    /// At a bit rate of the whole switch in shortest frames.
    pub fn at(constants: LookupConstants, ports: u32, gbps: f64, is_cached: bool) -> Self {
        let n = packets_per_second(gbps * 1e9);
        let cached = |misses| is_cached.then(|| constants.power_w(n, ports, misses));
        Self {
            ports,
            gbps,
            conventional_w: constants.conventional_w(n),
            one_percent_w: cached(0.01),
            no_miss_w: cached(0.0),
            constants,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_the_paper_says() {
        // At 700 Gbps and 7 ports: 43.8 W conventional, 0.61 W at 1 % misses, 0.17 W at 0 %.
        let s = LookupEnergy::at(LookupConstants::hirasawa_2022(), 7, 700.0, true);
        let near = |value: f64, printed: f64| assert!((value - printed).abs() < 0.006 * printed.max(1.0), "{value}");
        near(s.conventional_w, 43.8);
        near(s.one_percent_w.unwrap(), 0.61);
        near(s.no_miss_w.unwrap(), 0.17);
    }
}
