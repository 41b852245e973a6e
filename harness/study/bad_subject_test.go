package study

var badSubjects = []badFile{
	{"duration number", oneSubject + "timeout: 60", schemaToo,
		`study.yaml:4:12: timeout must be a duration such as 90s, 10m or 1h30m, not the number 60
hint: did you mean 60s?`},
	{"duration word", oneSubject + "timeout: 1 hour", schemaToo,
		`study.yaml:4:12: timeout must be a duration such as 90s, 10m or 1h30m, not "1 hour"`},
	{"duration too long", oneSubject + "timeout: 9000h", loaderOnly,
		"study.yaml:4:12: timeout must be above 0s and at most 720h, not 9000h"},
	{"size unit", oneSubject + "max-output: 64MB", schemaToo,
		`study.yaml:4:15: max-output must be a size such as 64MiB, not "64MB"
hint: units are B, KiB, MiB, GiB and TiB`},
	{"size zero", oneSubject + "max-output: 0", schemaToo,
		"study.yaml:4:15: max-output must be from 1 to 1125899906842624, not 0"},
	{"git and dir", oneSubject + `git: {url: https://example.org/x.git}
  dir: .`, schemaToo,
		`study.yaml:5:8: subject has both git and dir
hint: leave one of them out`},
	{"image and build", oneSubject + `image: scratch
  build: folder`, schemaToo,
		`study.yaml:5:10: subject has both image and build
hint: build: FOLDER is short for image: {build: FOLDER}`},
	{"git without url", oneSubject + "git: {ref: main}", schemaToo,
		`study.yaml:4:8: git has no "url"`},
	{"git word", oneSubject + "git: https://example.org/x.git", schemaToo,
		`study.yaml:4:8: git must be a mapping, not "https://example.org/x.git"`},
	{"git password", oneSubject + `git: {url: "https://me:secret@example.org/x.git"}`, loaderOnly,
		`study.yaml:4:14: url holds a password
hint: leave it out and let git's credential helper give it`},
	{"git transport", oneSubject + `git: {url: "ext::sh -c id"}`, loaderOnly,
		`study.yaml:4:14: "ext::sh -c id" is not a git repository's URL
hint: https, ssh and file URLs and paths are read`},
	{"git http", oneSubject + `git: {url: "http://example.org/x.git", ref: "-x"}`, schemaToo,
		`study.yaml:4:14: "http://example.org/x.git": git repositories are not cloned by http
hint: https, ssh and file URLs and paths are read
study.yaml:4:47: "-x" is not a git branch, tag or commit`},
	{"dir outside", oneSubject + "dir: ..", loaderOnly,
		`study.yaml:4:8: dir: ".." leaves the study's folder
hint: paths are relative to the study's folder and stay inside it`},
	{"dir a file", oneSubject + "dir: plain.txt", loaderOnly,
		`study.yaml:4:8: dir: "plain.txt" is not a folder`},
	{"image name", oneSubject + `image: "UPPER case"`, schemaToo,
		`study.yaml:4:10: "UPPER case" is not an image's name: invalid reference format: repository name (library/UPPER case) must be lowercase
hint: such as eclipse-temurin:21`},
	{"unset star", oneSubject + "unset: ['*']", schemaToo,
		`study.yaml:4:11: "*" is not the name of an environment variable
hint: such as CI, or JENKINS_* for all that begin so`},
	{"unset twice", oneSubject + "unset: [CI, CI]", schemaToo,
		`study.yaml:4:15: unset: "CI" is there twice`},
	{"image neither", oneSubject + "image: {pull: always}", schemaToo,
		`study.yaml:4:10: image has to have one of name and build
hint: name says which image to take, build the folder to make it from`},
	{"image both", oneSubject + "image: {name: scratch, build: folder}", schemaToo,
		`study.yaml:4:10: image has to have one of name and build
hint: name says which image to take, build the folder to make it from`},
	{"image args", oneSubject + "image: {name: scratch, args: {A: 1}}", schemaToo,
		"study.yaml:4:32: args are for an image that is built"},
	{"image build outside", oneSubject + "image: {build: ../x}", loaderOnly,
		`study.yaml:4:18: build: "../x" leaves the study's folder
hint: paths are relative to the study's folder and stay inside it`},
	{"image pull", oneSubject + "image: {name: scratch, pull: sometimes}", schemaToo,
		`study.yaml:4:32: pull cannot be "sometimes"
hint: known are missing, always, never`},
	{"build-arg name", oneSubject + "image: {build: folder, args: {a-b: 1}}", schemaToo,
		`study.yaml:4:33: "a-b" is not the name of a build argument`},
	{"setup mixed", oneSubject + "setup: [[make], make]", schemaToo,
		`study.yaml:4:19: setup must be a list of commands that are lists of words, not "make"`},
	{"setup mixed other way", oneSubject + "setup: [make, [make]]", schemaToo,
		"study.yaml:4:17: setup must be text, not a list"},
	{"setup empty word", oneSubject + `setup: [[""]]`, loaderOnly,
		"study.yaml:4:12: setup starts with an empty word"},
	{"setup pipe", oneSubject + "setup: make | tee log", loaderOnly,
		`study.yaml:4:10: setup: character 6: "|" needs a shell
hint: quote it, write the command as a list, or set shell: true`},
	{"setup with a parameter", oneSubject + "setup: [make, '{delay}', '{other}']\nparameters: {delay: [1]}", loaderOnly,
		`study.yaml:4:17: setup runs once per variant, for all values of the parameter "delay"
hint: use it in the command`},
	{"shell word", oneSubject + `shell: "yes"`, schemaToo,
		`study.yaml:4:10: shell must be true or false, not "yes"`},
	{"words for a shell", noCommand + "[a, b]\n  shell: true", schemaToo,
		`study.yaml:3:16: command is a list of words, but a shell runs one string
hint: write it as one string, or leave shell out`},
	{"compile without out", oneSubject + "compile: go build .", loaderOnly,
		`study.yaml:4:12: compile does not say {out}, where the program goes
hint: such as [go, build, -o, "{out}", .]`},
	{"compile with a parameter", oneSubject + `compile: [cc, -o, "{out}", "{delay}"]`, loaderOnly,
		`study.yaml:4:30: {delay} is not known in compile
hint: compile runs once per variant and knows {out} only`},
	{"results word", oneSubject + "results: junitt", schemaToo,
		`study.yaml:4:12: results cannot be "junitt"
hint: did you mean "junit"?`},
	{"results junit bare", oneSubject + "results: junit", schemaToo,
		`study.yaml:4:12: junit needs to know its files
hint: results: {junit: path/to/*.xml}`},
	{"results two", oneSubject + "results: {tap: , junit: x.xml}", schemaToo,
		`study.yaml:4:12: results has to have one format, not 2
hint: known are exit, records, junit, go-test-json, tap`},
	{"results none", oneSubject + "results: {}", schemaToo,
		`study.yaml:4:12: results has to have one format, not 0
hint: known are exit, records, junit, go-test-json, tap`},
	{"results exit files", oneSubject + "results: {exit: x}", schemaToo,
		"study.yaml:4:19: the exit status has no files"},
	{"results glob", oneSubject + `results: {junit: "[a"}`, loaderOnly,
		`study.yaml:4:20: "[a" is not a pattern of files`},
	{"results climbs", oneSubject + "results: {junit: ../*.xml}", loaderOnly,
		`study.yaml:4:20: "../*.xml" leaves the subject's tree`},
	{"results retried", oneSubject + "results: {junit: x.xml, retried-pass: maybe}", schemaToo,
		`study.yaml:4:41: retried-pass cannot be "maybe"
hint: known are fail, pass`},
	{"isolation", oneSubject + "isolation: wram", schemaToo,
		`study.yaml:4:14: isolation cannot be "wram"
hint: did you mean "warm"?`},
	{"isolation mapping", oneSubject + "isolation: {native: fresh}", schemaToo,
		`study.yaml:4:23: native cannot be "fresh"
hint: known are shared, copy`},
	{"network", oneSubject + "network: host", schemaToo,
		`study.yaml:4:12: network cannot be "host"
hint: known are none, bridge`},
	{"limits", oneSubject + "limits: {cpus: -1, cpuset: a, memory: 1k, pids: 0}", schemaToo,
		`study.yaml:4:18: cpus must be above 0 and at most 4096, not -1
study.yaml:4:30: "a" is not a set of cores
hint: such as 0, 0-1 or 0,2
study.yaml:4:41: memory must be a size such as 64MiB, not "1k"
hint: units are B, KiB, MiB, GiB and TiB
study.yaml:4:51: pids must be from 1 to 4194304, not 0`},
	{"command empty list", noCommand + "[]", schemaToo,
		"study.yaml:3:12: command is an empty list"},
	{"command empty word", noCommand + "['']", loaderOnly,
		"study.yaml:3:13: command starts with an empty word"},
	{"command pipe", noCommand + "./a | tee x", loaderOnly,
		`study.yaml:3:12: command: character 5: "|" needs a shell
hint: quote it, write the command as a list, or set shell: true`},
	{"command unclosed quote", noCommand + `"./a 'b"`, loaderOnly,
		"study.yaml:3:12: command: character 5: reached EOF without closing quote `'`\nhint: quote it, write the command as a list, or set shell: true"},
	{"command a mapping", noCommand + "{a: b}", schemaToo,
		"study.yaml:3:12: command must be a list of words, not a mapping"},
	{"command null", noCommand + "", schemaToo,
		"study.yaml:3:11: command must be text, not nothing"},
	{"command pattern", noCommand + "ls *.txt", loaderOnly,
		`study.yaml:3:12: command: character 4: the pattern character '*' needs a shell
hint: quote it, write the command as a list, or set shell: true`},
}
