/** Programming languages by file name. Data and prose (JSON, YAML, Markdown) are not included. */

/** A language, then its extensions (with a dot) and file names. */
const TABLE: readonly (readonly [string, string])[] = [
  ['Ada', '.adb .ads'],
  ['Assembly', '.asm .s .nasm'],
  ['Astro', '.astro'],
  ['Awk', '.awk .gawk'],
  ['Batchfile', '.bat .cmd'],
  ['C', '.c .h'],
  ['C#', '.cs .csx'],
  ['C++', '.cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .ipp .tpp .inl'],
  ['Clojure', '.clj .cljc .cljs .edn'],
  ['CMake', '.cmake CMakeLists.txt'],
  ['COBOL', '.cbl .cob .cpy'],
  ['CoffeeScript', '.coffee'],
  ['Common Lisp', '.lisp .lsp .cl .asd'],
  ['Crystal', '.cr'],
  ['CSS', '.css'],
  ['CUDA', '.cu .cuh'],
  ['Cython', '.pyx .pxd'],
  ['D', '.d .di'],
  ['Dart', '.dart'],
  ['Dockerfile', '.dockerfile Dockerfile Containerfile'],
  ['Elixir', '.ex .exs'],
  ['Elm', '.elm'],
  ['Emacs Lisp', '.el .emacs'],
  ['Erlang', '.erl .hrl .escript rebar.config'],
  ['F#', '.fs .fsi .fsx'],
  ['Fennel', '.fnl'],
  ['Fish', '.fish'],
  ['Forth', '.fth .4th'],
  ['Fortran', '.f .f77 .f90 .f95 .f03 .f08 .for'],
  ['GDScript', '.gd'],
  ['Gleam', '.gleam'],
  ['GLSL', '.glsl .frag .vert .geom .comp'],
  ['Go', '.go'],
  ['GraphQL', '.graphql .gql'],
  ['Groovy', '.groovy .gradle .gvy Jenkinsfile'],
  ['Handlebars', '.hbs .handlebars'],
  ['Haskell', '.hs .lhs .hsc'],
  ['HCL', '.hcl .tf .tfvars'],
  ['HTML', '.html .htm .xhtml'],
  ['Idris', '.idr'],
  ['Java', '.java'],
  ['JavaScript', '.js .cjs .mjs .jsx Jakefile'],
  ['Julia', '.jl'],
  ['Just', '.just justfile Justfile'],
  ['Kotlin', '.kt .kts'],
  ['Lean', '.lean'],
  ['Less', '.less'],
  ['Lua', '.lua .rockspec'],
  ['Makefile', '.mk .mak Makefile makefile GNUmakefile Kbuild'],
  ['MATLAB', '.mlx'],
  ['Meson', 'meson.build meson_options.txt meson.options'],
  ['Metal', '.metal'],
  ['Nim', '.nim .nims .nimble'],
  ['Nix', '.nix'],
  ['Objective-C', '.m'],
  ['Objective-C++', '.mm'],
  ['OCaml', '.ml .mli .mll .mly'],
  ['Odin', '.odin'],
  ['Pascal', '.pas .pp .dpr .lpr'],
  ['Perl', '.pl .pm .t .psgi cpanfile'],
  ['PHP', '.php .phtml .php3 .php4 .php5 .phps'],
  ['PowerShell', '.ps1 .psm1 .psd1'],
  ['Prolog', '.pro .prolog'],
  ['PureScript', '.purs'],
  ['Python', '.py .pyi .pyw .bzl SConstruct SConscript'],
  ['R', '.r .rsx .Rprofile'],
  ['Racket', '.rkt .rktd'],
  ['ReScript', '.resi'],
  ['Roff', '.roff .man .mdoc .1 .2 .3 .4 .5 .6 .7 .8'],
  ['Ruby', '.rb .rake .gemspec .ru .erb Gemfile Rakefile Podfile Vagrantfile Brewfile'],
  ['Rust', '.rs'],
  ['Sass', '.sass'],
  ['Scala', '.scala .sbt .sc'],
  ['Scheme', '.scm .ss .sld'],
  ['SCSS', '.scss'],
  ['Shell', '.sh .bash .zsh .ksh .bats .bashrc .zshrc .profile PKGBUILD'],
  ['Smalltalk', '.st'],
  ['Solidity', '.sol'],
  ['SQL', '.sql .ddl .plsql .pgsql'],
  ['Standard ML', '.sml .sig .fun'],
  ['Starlark', '.star BUILD BUILD.bazel WORKSPACE WORKSPACE.bazel'],
  ['Stylus', '.styl'],
  ['Svelte', '.svelte'],
  ['Swift', '.swift'],
  ['SystemVerilog', '.sv .svh'],
  ['Tcl', '.tcl .tk'],
  ['TeX', '.tex .sty .cls .bib'],
  ['Thrift', '.thrift'],
  ['TypeScript', '.ts .cts .mts .tsx'],
  ['V', '.vsh'],
  ['Vala', '.vala .vapi'],
  ['VBA', '.vba .bas .frm'],
  ['Verilog', '.v .veo .vh'],
  ['VHDL', '.vhd .vhdl'],
  ['Vim Script', '.vim .vimrc'],
  ['Visual Basic .NET', '.vb'],
  ['Vue', '.vue'],
  ['WebAssembly', '.wat .wast'],
  ['WGSL', '.wgsl'],
  ['XSLT', '.xsl .xslt'],
  ['Yacc', '.y .yacc .yy'],
  ['Zig', '.zig .zon'],
]

const LANGUAGE_BY_EXTENSION = new Map<string, string>()
const LANGUAGE_BY_NAME = new Map<string, string>()
for (const [language, keys] of TABLE) {
  for (const key of keys.split(' ')) {
    if (key.startsWith('.')) LANGUAGE_BY_EXTENSION.set(key.toLowerCase(), language)
    else LANGUAGE_BY_NAME.set(key, language)
  }
}

/** The language of a file by its base name, or null. */
export function languageOf(name: string): string | null {
  const named = LANGUAGE_BY_NAME.get(name)
  if (named) return named
  const dot = name.lastIndexOf('.')
  return dot < 0 ? null : (LANGUAGE_BY_EXTENSION.get(name.slice(dot).toLowerCase()) ?? null)
}

const LANGUAGE_BY_LOWERCASE = new Map(
  TABLE.map(([language]) => [language.toLowerCase().replaceAll(' ', '-'), language]),
)

const MAX_LANGUAGE_LENGTH = 50

/** A language by the value of the attribute `linguist-language`, which has no spaces. */
export const languageNamed = (name: string): string =>
  LANGUAGE_BY_LOWERCASE.get(name.toLowerCase()) ??
  name.replaceAll('-', ' ').slice(0, MAX_LANGUAGE_LENGTH).toWellFormed()

const DOCUMENTATION_FOLDERS =
  /^(docs?|man|examples|demos?)$|(^|\/)(documentation|groovydoc|javadoc|samples)$/i

/** Whether a folder usually contains documentation, by its path. */
export const isDocumentationFolder = (path: string): boolean => DOCUMENTATION_FOLDERS.test(path)

const VENDORED_FOLDERS = new Set([
  'node_modules',
  'bower_components',
  'vendor',
  'vendors',
  'third_party',
  'third-party',
  'thirdparty',
  '3rdparty',
  'extern',
  'externals',
  'dist',
  'deps',
  'pods',
  'carthage',
  'godeps',
  '.yarn',
  '.git',
  '.venv',
  'venv',
  'site-packages',
  '__pycache__',
  'testdata',
  'fixtures',
])

/** Whether a folder usually contains code of other projects, or data. */
export const isVendoredFolder = (name: string): boolean => VENDORED_FOLDERS.has(name.toLowerCase())

const GENERATED = [
  /[.-]min\.(js|css)$/i,
  /\.(pb|pb\.gw|pb2|pb2_grpc|g|gen|generated|designer|freezed)\.[a-z]+$/i,
  /(_pb2|_pb2_grpc|_pb|_generated|_gen|\.pb-c)\.[a-z]+$/i,
  /^(jquery|bootstrap|angular|react|vue|d3|lodash|moment|modernizr)[.-]\d+(\..*)?\.(js|css)$/i,
  /\.bundle\.js$/i,
]

/** Whether a file is generated, by its base name. */
export const isGeneratedName = (name: string): boolean =>
  GENERATED.some((pattern) => pattern.test(name))
