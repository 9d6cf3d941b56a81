/** How the script of a step is run: shells, and the program for `/bin/sh` that starts one. */

/** Quotes a text as one word of a POSIX shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

type Shell = {
  /** The command; `{0}` stands for the script's file. */
  readonly command: string
  readonly extension: string
  readonly package: string
}

const SHELLS: Readonly<Record<string, Shell>> = {
  bash: {
    command: 'bash --noprofile --norc -eo pipefail {0}',
    extension: 'sh',
    package: 'bash',
  },
  sh: { command: 'sh -e {0}', extension: 'sh', package: 'dash' },
  python: { command: 'python {0}', extension: 'py', package: 'python3' },
  pwsh: { command: `pwsh -command . {0}`, extension: 'ps1', package: 'powershell' },
  node: { command: 'node {0}', extension: 'js', package: 'nodejs' },
}

export type ScriptFile = { readonly name: string; readonly command: string }

/** The name of the script's file and the shell line that runs it. `shell` is empty for the default. */
export function scriptFile(shell: string): ScriptFile {
  if (shell === '') {
    const file = '"$1/script.sh"'
    return {
      name: 'script.sh',
      command: `if command -v bash >/dev/null 2>&1; then launch bash -e ${file}; else launch sh -e ${file}; fi`,
    }
  }
  const known = SHELLS[shell]
  const name = `script.${known?.extension ?? 'txt'}`
  const template = known?.command ?? shell
  const words = template.split(/\s+/).filter((word) => word !== '')
  const [program = 'sh'] = words
  const line = (words.some((word) => word.includes('{0}')) ? words : [...words, '{0}'])
    .map((word) => word.split('{0}').map(quote).join(`"$1/${name}"`))
    .join(' ')
  const missing = `##[error]${program} is not installed on this machine; it is in the package ${known?.package ?? program}`
  const other = shell === 'python' ? ' || command -v python3 >/dev/null 2>&1' : ''
  const run =
    shell === 'python'
      ? `${line.replace(quote('python'), '"$(command -v python || command -v python3)"')}`
      : line
  return {
    name,
    command: [
      `if command -v ${quote(program)} >/dev/null 2>&1${other}; then launch ${run}; fi`,
      `printf '%s\\n' ${quote(missing)}`,
      'exit 127',
    ].join('\n'),
  }
}

/** Names that a shell accepts as variables; others are left out of the environment. */
const isVariable = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)

/**
 * The program of a step. `launch` in its command executes a program with variables whose names a
 * shell does not accept too (`INPUT_FETCH-DEPTH`); a shell in between would drop them.
 */
export function stepProgram(step: {
  readonly env: Readonly<Record<string, string>>
  readonly paths: readonly string[]
  readonly folder: string
  /** Files that exist and are empty before the step begins. */
  readonly files: readonly string[]
  readonly command: string
}): string {
  const { env, paths, folder, files, command } = step
  const entries = Object.entries(env).filter(([name]) => name !== '' && !/[=\0]/.test(name))
  const odd = entries.filter(([name]) => !isVariable(name))
  const clean = (value: string): string => quote(value.replaceAll('\0', ''))
  return [
    ...entries
      .filter(([name]) => isVariable(name))
      .map(([name, value]) => `export ${name}=${clean(value)}`),
    ...(paths.length > 0 ? [`export PATH=${quote(paths.join(':'))}:"$PATH"`] : []),
    ...files.map((file) => `: >${quote(file)}`),
    `launch() { exec ${odd.length === 0 ? '' : `env ${odd.map(([name, value]) => quote(`${name}=${value.replaceAll('\0', '')}`)).join(' ')} `}"$@"; }`,
    `cd ${quote(folder)} 2>/dev/null || { printf '%s\\n' ${quote(`##[error]the working directory ${folder} does not exist`)}; exit 1; }`,
    command,
  ].join('\n')
}
