use railyard_picture::cycles;
use railyard_spec::{presets, Config};
fn main() {
    for preset in presets::PRESETS {
        let config = Config::from_json(preset.json).unwrap();
        let all: [(&str, fn(&Config) -> _); 9] = [
            ("cycles", cycles::header),
            ("miss", cycles::miss),
            ("back", cycles::back_to_back),
            ("credits", cycles::credits),
            ("lost", cycles::lost_credit),
            ("registers", cycles::registers),
            ("multicast", cycles::multicast),
            ("barrier", cycles::barrier),
            ("table", cycles::table_change),
        ];
        for (name, draw) in all {
            match draw(&config) {
                Ok(canvas) => {
                    std::fs::create_dir_all("/tmp/pictures/svg").unwrap();
                    std::fs::write(format!("/tmp/pictures/svg/{name}-{}.svg", config.name), canvas.svg()).unwrap()
                }
                Err(fault) => println!("{} {name}: {} {}", config.name, fault.path, fault.rule),
            }
        }
    }
}
