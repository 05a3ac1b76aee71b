// Runs a model in a process of its own. The inputs of each cycle come from a ring in shared memory, and the outputs of
// each cycle go there. The process that compares them is another one, so that nothing a design does to this one can
// change the verdict. `ring.rs` has the same structures.
//
//   runner RING LINK MODEL SCOPE WAVEFORM
//
// The first two are open file descriptors: the shared memory, and a socket whose bytes mean "look again", in both directions.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

// The table of functions that the shim exports.
struct Api final {
    uint32_t abi;
    void* (*create)(const char*, bool, int);
    void (*destroy)(void*);
    bool (*finish)(void*);
    void* (*port)(void*, size_t);
    bool (*eval)(void*);
    bool (*tick)(void*, uint8_t*, uint64_t);
    void (*load)(void*, const uint8_t*);
    void (*store)(void*, uint8_t*);
    const char* (*reason)(void*);
    bool (*trace_open)(void*, const char*);
    void (*trace_dump)(void*, uint64_t);
    void (*trace_close)(void*);
};

// Written before this process starts, and copied before the design's code runs.
struct Setup final {
    uint64_t abi;
    uint64_t slots;       // of the ring, a power of two
    uint64_t slot_bytes;  // inputs first
    uint64_t outputs;     // where outputs after the clock edge are in a slot
    uint64_t settled;     // where outputs before the clock edge are; 0 if they are not asked for
    uint64_t clock;       // index of its port
    uint64_t seed;
    uint64_t spins;        // before this process sleeps
    uint64_t trace_first;  // first cycle of the waveform
    uint64_t trace_end;    // the cycle after its last; 0 without waveform
};

using Word = std::atomic<uint64_t>;

struct Control final {
    alignas(128) Setup setup;
    // Written by the parent.
    alignas(128) Word sent;  // cycles whose inputs are there
    Word quit;               // no more will come
    // Written by this process.
    alignas(128) Word done;  // cycles whose outputs are there
    Word state;
    Word stopped;  // the cycle in which the design stopped itself, plus one
    // Written by whoever sleeps, taken back by whoever wakes it; 0 while awake.
    alignas(128) Word input_wanted;   // the value of `sent` that this process sleeps for
    Word result_wanted;               // the value of `done` that the parent sleeps for
    alignas(128) char text[2048];     // why the design stopped, or what this process failed of
};
static_assert(sizeof(Control) == 4 * 128 + 2048, "as in ring.rs");
static_assert(Word::is_always_lock_free, "shared by two processes");

enum State : uint64_t { STARTED = 1, RUNNING = 2, FINISHED = 3, FAILED = 4 };

constexpr size_t HEADER_BYTES = 4096;
constexpr uint64_t ABI = ABI_VERSION;
// Cycles between two looks at whether the parent sleeps.
constexpr uint64_t OFFER_CYCLES = 16;

std::string waveform_folder;

void say(Control& control, const char* text) {
    std::strncpy(control.text, text, sizeof control.text - 1);
}

class Runner final {
    Control& control;
    const Setup setup;
    uint8_t* const ring;
    const int link;
    const Api* api = nullptr;
    void* model = nullptr;
    uint8_t* clock = nullptr;
    const char* waveform;
    bool tracing = false;
    bool stopped = false;

    void wake_parent() const {
        const char byte = 0;
        if (write(link, &byte, 1) < 0) _exit(1);  // it is gone
    }

    // Wakes the parent if what it sleeps for is there.
    void offer() {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        const uint64_t wanted = control.result_wanted.load(std::memory_order_relaxed);
        if (wanted == 0 || control.done.load(std::memory_order_relaxed) < wanted) return;
        control.result_wanted.store(0, std::memory_order_relaxed);
        wake_parent();
    }

    bool is_there(uint64_t cycle) const {
        return control.sent.load(std::memory_order_acquire) > cycle || control.quit.load(std::memory_order_acquire);
    }

    bool spin(uint64_t cycle) const {
        for (uint64_t i = 0; i < setup.spins; ++i) {
            if (is_there(cycle)) return true;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
        return false;
    }

    // Waits for the inputs of a cycle; false if there won't be any.
    bool wait_for(uint64_t cycle) {
        while (!is_there(cycle)) {
            offer();
            if (spin(cycle)) break;
            // Half a ring is worth waking up for; before the parent sleeps, it wakes this process for less.
            control.input_wanted.store(cycle + setup.slots / 2, std::memory_order_relaxed);
            std::atomic_thread_fence(std::memory_order_seq_cst);
            char bytes[64];
            if (!is_there(cycle) && read(link, bytes, sizeof bytes) <= 0) _exit(1);  // the parent is gone
            control.input_wanted.store(0, std::memory_order_relaxed);
        }
        return control.sent.load(std::memory_order_acquire) > cycle;
    }

    void note_stop(uint64_t cycle) {
        stopped = true;
        say(control, api->reason(model));
        control.stopped.store(cycle + 1, std::memory_order_relaxed);
    }

    // Opens or closes the waveform where its time begins or ends.
    void turn_tracing(uint64_t cycle) {
        if (tracing && cycle == setup.trace_end) {
            api->trace_close(model);
            tracing = false;
        } else if (cycle == setup.trace_first && setup.trace_end > cycle) {
            tracing = api->trace_open && api->trace_open(model, waveform);
            if (!tracing) throw "the waveform can't be written";
        }
    }

    void cycle(uint64_t cycle) {
        uint8_t* const slot = ring + (cycle & (setup.slots - 1)) * setup.slot_bytes;
        api->load(model, slot);
        bool stops = false;
        if (tracing || setup.settled != 0) {
            *clock = 0;
            stops |= api->eval(model);
            if (tracing) api->trace_dump(model, 10 * cycle);
            if (setup.settled != 0) api->store(model, slot + setup.settled);
            *clock = 1;
            stops |= api->eval(model);
            if (tracing) api->trace_dump(model, 10 * cycle + 5);
        } else {
            stops = api->tick(model, clock, 1);
        }
        api->store(model, slot + setup.outputs);
        if (stops && !stopped) note_stop(cycle);
        control.done.store(cycle + 1, std::memory_order_release);
        if ((cycle + 1) % OFFER_CYCLES == 0) offer();
    }

public:
    Runner(Control& control, uint8_t* ring, int link, const char* waveform)
        : control{control}, setup{control.setup}, ring{ring}, link{link}, waveform{waveform} {}

    void run(const char* library, const char* scope) {
        if (setup.abi != ABI) throw "made by another version";
        control.state.store(STARTED, std::memory_order_release);
        wake_parent();
        void* const code = dlopen(library, RTLD_NOW | RTLD_LOCAL);
        if (!code) throw static_cast<const char*>(dlerror());
        api = static_cast<const Api*>(dlsym(code, "railyard_model"));
        if (!api || api->abi != ABI) throw "the model was made by another version";
        model = api->create(scope, true, static_cast<int>(setup.seed));
        clock = static_cast<uint8_t*>(api->port(model, setup.clock));
        control.state.store(RUNNING, std::memory_order_release);
        uint64_t now = 0;
        for (; wait_for(now); ++now) {
            if (setup.trace_end != 0) turn_tracing(now);
            cycle(now);
        }
        // What fails in a `final` block has the number of the cycle that there is not.
        if (api->finish(model) && !stopped) note_stop(now);
        api->destroy(model);
        std::fflush(nullptr);
        control.state.store(FINISHED, std::memory_order_release);
        _exit(0);
    }

    [[noreturn]] void fail(const char* text) {
        std::fflush(nullptr);
        say(control, text);
        control.state.store(FAILED, std::memory_order_release);
        _exit(1);
    }
};

}  // namespace

// The writer of FST keeps parts of the file in unnamed files. Those of the C library are in a folder that this process
// may not write to.
extern "C" FILE* tmpfile() {
    const int file = open(waveform_folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return file < 0 ? nullptr : fdopen(file, "w+b");
}
extern "C" FILE* tmpfile64() { return tmpfile(); }

int main(int count, char** arguments) {
    if (count != 6) return 1;
    const int memory = std::atoi(arguments[1]);
    struct stat found;
    if (fstat(memory, &found) != 0) return 1;
    void* const at = mmap(nullptr, static_cast<size_t>(found.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (at == MAP_FAILED) return 1;
    close(memory);
    // What a design prints before it ends its process is not lost.
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    waveform_folder = arguments[5];
    waveform_folder.resize(waveform_folder.rfind('/') == std::string::npos ? 0 : waveform_folder.rfind('/'));
    Runner runner{*static_cast<Control*>(at), static_cast<uint8_t*>(at) + HEADER_BYTES, std::atoi(arguments[2]), arguments[5]};
    try {
        runner.run(arguments[3], arguments[4]);
    } catch (const char* text) {
        runner.fail(text);
    } catch (const std::bad_alloc&) {
        runner.fail("no memory left");
    } catch (const std::exception& error) {
        runner.fail((std::string{"C++ exception: "} + error.what()).c_str());
    } catch (...) {
        runner.fail("C++ exception");
    }
}
