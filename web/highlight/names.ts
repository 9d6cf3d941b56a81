// From a path, or a word after a code fence, to a grammar. A table of our own, because what a file is called is a matter of
// custom, not of the highlighter.
import { hljs, type Grammar } from './languages.ts'

const byExtension: Record<string, Grammar> = {
  ada: 'ada', adb: 'ada', ads: 'ada', applescript: 'applescript', ino: 'arduino', adoc: 'asciidoc', asciidoc: 'asciidoc', awk: 'awk',
  sh: 'bash', bash: 'bash', zsh: 'bash', ksh: 'bash', fish: 'bash', bats: 'bash', bas: 'basic', c: 'c', h: 'c', clj: 'clojure', cljs: 'clojure',
  cljc: 'clojure', edn: 'clojure', cmake: 'cmake', coffee: 'coffeescript', cc: 'cpp', cpp: 'cpp', cxx: 'cpp', 'c++': 'cpp', hh: 'cpp', hpp: 'cpp',
  hxx: 'cpp', inl: 'cpp', ipp: 'cpp', cu: 'cpp', cuh: 'cpp', cr: 'crystal', cs: 'csharp', csx: 'csharp', css: 'css', d: 'd', dart: 'dart',
  pas: 'delphi', dpr: 'delphi', pp: 'puppet', diff: 'diff', patch: 'diff', zone: 'dns', dockerfile: 'dockerfile', bat: 'dos', cmd: 'dos',
  ebnf: 'ebnf', ex: 'elixir', exs: 'elixir', elm: 'elm', erb: 'erb', erl: 'erlang', hrl: 'erlang', f: 'fortran', f90: 'fortran', f95: 'fortran',
  f03: 'fortran', for: 'fortran', fs: 'fsharp', fsi: 'fsharp', fsx: 'fsharp', glsl: 'glsl', vert: 'glsl', frag: 'glsl', comp: 'glsl', go: 'go',
  gradle: 'gradle', graphql: 'graphql', gql: 'graphql', groovy: 'groovy', haml: 'haml', hbs: 'handlebars', mustache: 'handlebars', hs: 'haskell',
  lhs: 'haskell', hx: 'haxe', http: 'http', rest: 'http', ini: 'ini', toml: 'ini', cfg: 'ini', conf: 'ini', editorconfig: 'ini', service: 'ini',
  java: 'java', js: 'javascript', mjs: 'javascript', cjs: 'javascript', jsx: 'javascript', json: 'json', jsonc: 'json', json5: 'json', jsonl: 'json',
  ndjson: 'json', geojson: 'json', webmanifest: 'json', ipynb: 'json', sarif: 'json', jl: 'julia', kt: 'kotlin', kts: 'kotlin', tex: 'latex',
  sty: 'latex', cls: 'latex', less: 'less', lisp: 'lisp', lsp: 'lisp', cl: 'lisp', el: 'lisp', ll: 'llvm', lua: 'lua', mk: 'makefile', mak: 'makefile',
  md: 'markdown', markdown: 'markdown', mdx: 'markdown', mdown: 'markdown', nb: 'mathematica', wl: 'mathematica', m: 'objectivec', mm: 'objectivec',
  mat: 'matlab', nim: 'nim', nims: 'nim', nix: 'nix', ml: 'ocaml', mli: 'ocaml', pl: 'perl', pm: 'perl', t: 'perl', pgsql: 'pgsql', php: 'php',
  phtml: 'php', ps1: 'powershell', psm1: 'powershell', psd1: 'powershell', pro: 'prolog', properties: 'properties', proto: 'protobuf', py: 'python',
  pyi: 'python', pyw: 'python', pyx: 'python', bzl: 'python', star: 'python', qml: 'qml', r: 'r', rmd: 'markdown', rb: 'ruby', rake: 'ruby',
  gemspec: 'ruby', ru: 'ruby', podspec: 'ruby', rs: 'rust', sas: 'sas', scala: 'scala', sc: 'scala', sbt: 'scala', scm: 'scheme', ss: 'scheme',
  rkt: 'scheme', scss: 'scss', sass: 'scss', console: 'shell', st: 'smalltalk', sql: 'sql', styl: 'stylus', swift: 'swift', tcl: 'tcl',
  thrift: 'thrift', twig: 'twig', jinja: 'django', j2: 'django', ts: 'typescript', mts: 'typescript', cts: 'typescript', tsx: 'typescript',
  vala: 'vala', vb: 'vbnet', v: 'verilog', sv: 'verilog', svh: 'verilog', vhd: 'vhdl', vhdl: 'vhdl', vim: 'vim', wat: 'wasm', wast: 'wasm',
  asm: 'x86asm', nasm: 'x86asm', s: 'armasm', xml: 'xml', html: 'xml', htm: 'xml', xhtml: 'xml', svg: 'xml', xsl: 'xml', xslt: 'xml', xsd: 'xml',
  rss: 'xml', atom: 'xml', plist: 'xml', vue: 'xml', svelte: 'xml', astro: 'xml', csproj: 'xml', fsproj: 'xml', vbproj: 'xml', props: 'xml',
  xq: 'xquery', xquery: 'xquery', yaml: 'yaml', yml: 'yaml', tf: 'ini', hcl: 'ini', tfvars: 'ini', desktop: 'ini', zig: 'rust', sol: 'javascript',
  txt: 'plaintext', log: 'plaintext', csv: 'plaintext', tsv: 'plaintext',
}

const byName: Record<string, Grammar> = {
  dockerfile: 'dockerfile', containerfile: 'dockerfile', makefile: 'makefile', gnumakefile: 'makefile', justfile: 'makefile', rakefile: 'ruby',
  gemfile: 'ruby', vagrantfile: 'ruby', podfile: 'ruby', fastfile: 'ruby', brewfile: 'ruby', 'cmakelists.txt': 'cmake', 'nginx.conf': 'nginx',
  '.htaccess': 'apache', 'httpd.conf': 'apache', 'apache2.conf': 'apache', jenkinsfile: 'groovy', '.bashrc': 'bash', '.zshrc': 'bash',
  '.profile': 'bash', '.bash_profile': 'bash', '.bash_aliases': 'bash', pkgbuild: 'bash', '.vimrc': 'vim', '.gitconfig': 'ini', '.npmrc': 'ini',
  '.editorconfig': 'ini', '.gitmodules': 'ini', 'cargo.lock': 'ini', 'poetry.lock': 'ini', pipfile: 'ini', 'go.mod': 'go', 'go.sum': 'plaintext',
  '.babelrc': 'json', '.eslintrc': 'json', '.prettierrc': 'json', 'bun.lock': 'json', 'composer.lock': 'json', 'flake.lock': 'json',
  'build': 'python', 'workspace': 'python', 'sconstruct': 'python', 'yarn.lock': 'yaml', 'procfile': 'yaml', '.clang-format': 'yaml',
  '.gitignore': 'bash', '.dockerignore': 'bash', '.gitattributes': 'bash', codeowners: 'bash', license: 'plaintext', readme: 'plaintext',
}

const interpreters: Record<string, Grammar> = {
  sh: 'bash', bash: 'bash', zsh: 'bash', dash: 'bash', ksh: 'bash', fish: 'bash', python: 'python', python2: 'python', python3: 'python', pypy: 'python',
  ruby: 'ruby', perl: 'perl', node: 'javascript', bun: 'typescript', deno: 'typescript', 'ts-node': 'typescript', tsx: 'typescript', php: 'php',
  lua: 'lua', awk: 'awk', gawk: 'awk', tclsh: 'tcl', wish: 'tcl', rscript: 'r', julia: 'julia', elixir: 'elixir', escript: 'erlang', groovy: 'groovy',
  swift: 'swift', make: 'makefile', guile: 'scheme', racket: 'scheme', ocaml: 'ocaml', runghc: 'haskell', scala: 'scala', pwsh: 'powershell',
}

const own = (table: Record<string, Grammar>, key: string): Grammar | null => (Object.hasOwn(table, key) ? (table[key] ?? null) : null)

/** The grammar of a file by its name, else by the first line's `#!`; null when it is not known. */
export const grammarOfPath = (path: string, firstLine = ''): Grammar | null => {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const whole = own(byName, name)
  if (whole) return whole
  if (name.startsWith('dockerfile.') || name.endsWith('.dockerfile')) return 'dockerfile'
  const dot = name.lastIndexOf('.')
  const extension = dot > 0 ? own(byExtension, name.slice(dot + 1)) : null
  if (extension) return extension
  const bang = /^#!\s*(?:\S*\/)?(\S+)(?:\s+(?:-\S+\s+)*(\S+))?/.exec(firstLine.slice(0, 200))
  if (!bang) return null
  const program = (bang[1] === 'env' ? bang[2] : bang[1]) ?? ''
  return own(interpreters, program) ?? own(interpreters, program.replace(/[\d.]+$/, ''))
}

/** The grammar of a word after a code fence: a language's name, an alias of it, or an extension. */
export const grammarOfWord = (word: string): Grammar | null => {
  const lower = word.toLowerCase()
  const extension = own(byExtension, lower)
  if (extension) return extension
  const named = own(byName, lower)
  if (named) return named
  return /^[\w+#.-]{1,40}$/.test(lower) && hljs.getLanguage(lower) ? (lower as Grammar) : null
}
