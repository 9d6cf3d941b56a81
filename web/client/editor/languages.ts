// The language of a file, by its name, for colours and indentation. Each is a file of its own, which
// is loaded when it is needed.
import { StreamLanguage, type StreamParser } from '@codemirror/language'
import type { Extension } from '@codemirror/state'

const stream = (parser: StreamParser<unknown>): Extension => StreamLanguage.define(parser)
const clike = () => import('@codemirror/legacy-modes/mode/clike')
const script = (options: { jsx?: boolean; typescript?: boolean }) => () =>
  import('@codemirror/lang-javascript').then(({ javascript }) => javascript(options))

/** Endings of names, and whole names, with their language. */
const LANGUAGES: readonly (readonly [names: string, language: () => Promise<Extension>])[] = [
  ['js mjs cjs jsx', script({ jsx: true })],
  ['ts mts cts', script({ typescript: true })],
  ['tsx', script({ typescript: true, jsx: true })],
  [
    'json jsonc json5 webmanifest ipynb',
    async () => (await import('@codemirror/lang-json')).json(),
  ],
  ['css scss less', async () => (await import('@codemirror/lang-css')).css()],
  ['html htm vue svelte', async () => (await import('@codemirror/lang-html')).html()],
  ['md markdown', async () => (await import('@codemirror/lang-markdown')).markdown()],
  ['py pyi', async () => (await import('@codemirror/lang-python')).python()],
  ['rs', async () => (await import('@codemirror/lang-rust')).rust()],
  ['go', async () => (await import('@codemirror/lang-go')).go()],
  ['java', async () => (await import('@codemirror/lang-java')).java()],
  ['c h cc cpp cxx hh hpp ino', async () => (await import('@codemirror/lang-cpp')).cpp()],
  ['php', async () => (await import('@codemirror/lang-php')).php()],
  ['sql', async () => (await import('@codemirror/lang-sql')).sql()],
  ['xml svg xsl plist csproj', async () => (await import('@codemirror/lang-xml')).xml()],
  ['yaml yml', async () => (await import('@codemirror/lang-yaml')).yaml()],
  ['cs', async () => stream((await clike()).csharp)],
  ['kt kts', async () => stream((await clike()).kotlin)],
  ['scala', async () => stream((await clike()).scala)],
  ['diff patch', async () => stream((await import('@codemirror/legacy-modes/mode/diff')).diff)],
  [
    'dockerfile containerfile',
    async () => stream((await import('@codemirror/legacy-modes/mode/dockerfile')).dockerFile),
  ],
  ['hs', async () => stream((await import('@codemirror/legacy-modes/mode/haskell')).haskell)],
  ['lua', async () => stream((await import('@codemirror/legacy-modes/mode/lua')).lua)],
  ['pl pm', async () => stream((await import('@codemirror/legacy-modes/mode/perl')).perl)],
  [
    'ps1',
    async () => stream((await import('@codemirror/legacy-modes/mode/powershell')).powerShell),
  ],
  [
    'ini cfg conf properties env',
    async () => stream((await import('@codemirror/legacy-modes/mode/properties')).properties),
  ],
  ['proto', async () => stream((await import('@codemirror/legacy-modes/mode/protobuf')).protobuf)],
  ['r', async () => stream((await import('@codemirror/legacy-modes/mode/r')).r)],
  [
    'rb gemfile rakefile',
    async () => stream((await import('@codemirror/legacy-modes/mode/ruby')).ruby),
  ],
  [
    'sh bash zsh ksh bashrc',
    async () => stream((await import('@codemirror/legacy-modes/mode/shell')).shell),
  ],
  ['swift', async () => stream((await import('@codemirror/legacy-modes/mode/swift')).swift)],
  ['toml', async () => stream((await import('@codemirror/legacy-modes/mode/toml')).toml)],
]

/** The language that the name of a file stands for. Null when it is not known or not loaded. */
export async function loadLanguage(path: string): Promise<Extension | null> {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const ending = name.slice(name.lastIndexOf('.') + 1)
  const load = LANGUAGES.find(([names]) => names.split(' ').includes(ending))?.[1]
  return load === undefined ? null : await load().catch(() => null)
}
