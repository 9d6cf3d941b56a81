/** The language of a file by its name, as readers and highlighters call it. */

const BY_END: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    'Assembly': 'asm s', 'C': 'c h', 'C#': 'cs csx', 'C++': 'cc cpp cxx hh hpp hxx ino', 'CSS': 'css', 'Clojure': 'clj cljc cljs edn', 'CoffeeScript': 'coffee',
    'Dart': 'dart', 'Elixir': 'ex exs', 'Elm': 'elm', 'Erlang': 'erl hrl', 'F#': 'fs fsi fsx', 'Fortran': 'f f90 f95 for', 'GLSL': 'glsl vert frag', 'Go': 'go',
    'GraphQL': 'graphql gql', 'Groovy': 'groovy gradle', 'HCL': 'hcl tf tfvars', 'HTML': 'html htm xhtml', 'Haskell': 'hs lhs', 'INI': 'ini cfg', 'JSON': 'json jsonc json5 webmanifest',
    'Java': 'java', 'JavaScript': 'js cjs mjs jsx', 'Julia': 'jl', 'Jupyter Notebook': 'ipynb', 'Kotlin': 'kt kts', 'Less': 'less', 'Lua': 'lua', 'Markdown': 'md markdown mdx',
    'Nim': 'nim', 'Nix': 'nix', 'OCaml': 'ml mli', 'Objective-C': 'm', 'Objective-C++': 'mm', 'PHP': 'php phtml', 'Pascal': 'pas pp', 'Perl': 'pl pm t', 'PowerShell': 'ps1 psm1 psd1',
    'Protocol Buffer': 'proto', 'Python': 'py pyi pyw', 'R': 'r rmd', 'Ruby': 'rb gemspec rake', 'Rust': 'rs', 'SCSS': 'scss', 'SQL': 'sql', 'SVG': 'svg', 'Sass': 'sass', 'Scala': 'scala sbt sc',
    'Shell': 'sh bash zsh ksh', 'Svelte': 'svelte', 'Swift': 'swift', 'TOML': 'toml', 'TeX': 'tex sty cls', 'TypeScript': 'ts cts mts tsx', 'Vue': 'vue', 'XML': 'xml xsd xsl xslt plist', 'YAML': 'yml yaml', 'Zig': 'zig',
  }).flatMap(([language, ends]) => ends.split(' ').map((end) => [end, language])),
)

const BY_NAME: Readonly<Record<string, string>> = {
  dockerfile: 'Dockerfile', containerfile: 'Dockerfile', makefile: 'Makefile', gnumakefile: 'Makefile', justfile: 'Just', rakefile: 'Ruby', gemfile: 'Ruby', 'cmakelists.txt': 'CMake',
  jenkinsfile: 'Groovy', vagrantfile: 'Ruby', 'build.bazel': 'Starlark', workspace: 'Starlark', 'go.mod': 'Go Module',
}

/** The language, or null when the name says nothing. */
export function fileLanguage(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  return BY_NAME[name] ?? BY_END[name.slice(name.lastIndexOf('.') + 1)] ?? null
}
