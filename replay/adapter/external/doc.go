// Package external puts an adapter under test that lives in another process,
// written in any language.
//
//   - [ParseOneOff] reads --adapter NAME=COMMAND; [ReadConfig] reads
//     pdreplay.yaml, [Config.Spec] finds a name in it, NAME@REV included.
//   - [New] makes the [Adapter] of a [Spec]. Its errors are [*Error]: a time-out
//     is context.DeadlineExceeded, an interruption context.Canceled, anything
//     else a failure of the adapter.
//   - [Adapter.Close] ends what still runs. Call it, also when interrupted.
//
// # A command
//
// The kind "command" is the producer's command line contract: one process a
// run, everything by environment and files.
//
//	RESULT_DIR          the run: aiperf_artifacts/profile_export.jsonl, ..._aiperf.json,
//	                    server_metrics_export.json and .csv, as far as the run has them;
//	                    server.log and watchtower-*.out beside. Always this layout, by
//	                    links to the run's files or by copies. Never the published row.
//	AGENTIC_OUTPUT_DIR  an empty directory; the answer is the file
//	                    $AGENTIC_OUTPUT_DIR/$RESULT_FILENAME.json in it
//	RESULT_FILENAME     "row"; the run's own is not used
//	HF_HUB_CACHE        a directory that does not exist
//	TMPDIR              a directory of its own
//
// All of them lie in a temporary directory that is removed afterwards; the
// three directories above RESULT_DIR are empty. Standard output is thrown away,
// the last lines of standard error are shown with an error.
//
// The row must be one JSON value with four rates, each a number or null; a rate
// that is missing altogether, a bare NaN, an exit status other than 0, and a
// process left running are failures. cache_validity and request_accounting are
// read where they stand. Where the fields stand elsewhere, [Output] says so.
//
// # A worker
//
// The kind "worker" is a process that answers many runs. It reads a JSON object
// a line on standard input,
//
//	{"id": "7", "dir": RESULT_DIR, "env": {NAME: VALUE, ...}}
//
// and writes one line for each, flushed, on standard output:
//
//	{"id": "7", "result": {the row}}    or    {"id": "7", "error": "why there is none"}
//
// env is what the run adds to the worker's own environment, with everything
// that a command would get. A worker gets the next line after its answer, so it
// need not care for order. As many workers run as Derive is called at a time.
//
// What a worker says unasked (a banner, another id, an id twice, no JSON) fails
// the run in flight, and the worker is replaced: its word is not trusted any
// more. If it ends without a byte of an answer, a new one is asked for the same
// run, once. At the end its input closes; what has not ended 1 s later is
// killed, and Close says so.
//
// testdata/workers/python_producer.py makes a worker of any producer in Python
// that follows the command line contract.
//
// # Its environment
//
// Of pdreplay's own environment only what [Environment.Pass] lists reaches it,
// PATH and HOME unless said otherwise; of the run's run.env what [RunVariables]
// and [Environment.Run] list, for run.env comes from others; and the fixed
// values of [Environment.Set]. PYTHONDONTWRITEBYTECODE=1 is set, so that Python
// does not write into a clone.
//
// # Its end
//
// A run that takes longer than the time limit, or an interruption, ends the
// adapter: SIGTERM to its process group, 0.3 s later SIGKILL to everything.
//
// On Linux nothing survives. The adapter runs below a supervisor, which is this
// same binary under the name pdreplay-supervisor: a child subreaper, so that
// what forks twice and starts a session of its own still ends with it. It also
// ends when pdreplay itself is killed; only the temporary directories are left
// then. An adapter that kills the supervisor fails, and of what it started only
// its own process group is sure to end: it has the rights of the user, and this
// is no sandbox. Linux needs /proc for all this.
//
// On other Unix systems the process group is killed; what left the group (by
// setsid) survives. On Windows only the process itself is killed: what it
// started survives, and there is no SIGTERM first.
//
// # pdreplay.yaml
//
//	adapters:
//	  mine:
//	    command: python3 -m my.producer   # split into words like a shell, never run by one
//	    kind: command                     # or worker
//	    dir: ../my-clone                  # default: the directory of this file
//	    engine: atom                      # runs of other engines are skipped; default: any
//	    timeout: 30s                      # for one run; default 1m
//	    env:
//	      pass: [PATH, HOME, LANG]        # of our environment; default PATH and HOME
//	      set: {MY_MODE: strict}
//	      run: [MY_*]                     # of run.env, beside what always passes
//	    output:                           # JSON pointers, where not the producer's own places
//	      gpu: /rates/gpu
//	      status: /validity/status
//	clones:
//	  inferencex:                         # inferencex@REV, inferencex@worktree
//	    path: ../InferenceX
//	    revisions:                        # the first that matches REV or the commit id decides
//	      - match: "843c6254*"
//	        command: python3 -m utils.agentic.aggregation.process_agentic_result
//	      - match: "*"
//	        dir: inferencex-e2e           # inside the tree
//	        command: python3 -m infx.results.agentic.process_agentic_result
//
// All keys of output: gpu, cpu, external, overall, status, pricing_eligible,
// reasons, request_accounting. In a command {config} stands for the directory
// of the file.
//
// A revision is unpacked once by git archive into the user's cache directory,
// under its commit id. The clone is only read: nothing is fetched or checked
// out, and an error for a revision that it lacks says how to fetch it.
package external
