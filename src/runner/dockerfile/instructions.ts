/** What the instructions of a Dockerfile say. What is not supported is refused before anything runs. */
import { parseJsonOrNone } from '#lib/parse-json.ts'
import { DockerfileFault } from './fault.ts'
import { heredocOf, splitInstruction, type Heredoc, type Instruction } from './lines.ts'
import { splitWords } from './words.ts'

/** Words of a program, or a line for the shell of the image. */
export type Program = { readonly words: readonly string[]; readonly isShell: boolean }

export type Pair = { readonly name: string; readonly value: string }

/** A folder that only one instruction sees. */
export type EmptyMount = { readonly type: 'cache' | 'tmpfs'; readonly target: string }

export type Health = {
  readonly test: 'none' | Program
  /** Durations in nanoseconds, by the names of Docker. */
  readonly times: Readonly<Record<string, number>>
  readonly retries: number | null
}

export type Copy = {
  readonly isAdd: boolean
  readonly sources: readonly string[]
  readonly documents: readonly Heredoc[]
  readonly target: string
  readonly from: string | null
  readonly owner: string | null
  readonly mode: string | null
}

/** What an instruction says, before variables are replaced. */
export type Statement = { readonly line: number; readonly text: string } & (
  | {
      readonly kind: 'from'
      readonly image: string
      readonly platform: string
      readonly as: string
    }
  | { readonly kind: 'arg'; readonly args: readonly { name: string; value: string | null }[] }
  | { readonly kind: 'env' | 'label'; readonly pairs: readonly Pair[] }
  | {
      readonly kind: 'run'
      readonly program: Program
      readonly heredocs: readonly Heredoc[]
      readonly mounts: readonly EmptyMount[]
    }
  | ({ readonly kind: 'copy' } & Copy)
  | { readonly kind: 'cmd' | 'entrypoint'; readonly program: Program }
  | { readonly kind: 'shell' | 'expose' | 'volume'; readonly words: readonly string[] }
  | { readonly kind: 'workdir' | 'user' | 'stopsignal' | 'onbuild'; readonly value: string }
  | { readonly kind: 'healthcheck'; readonly health: Health }
  | { readonly kind: 'maintainer' }
)

type Reader = (instruction: Instruction, escape: string) => object

const wordsOf = (text: string): string[] => text.split(/[\t\v\f\r ]+/).filter((one) => one !== '')

/** The list of texts that a text begins with; null for another text. What follows does not count. */
function listOf({ rest, line, name }: Instruction): string[] | null {
  if (!rest.startsWith('[')) return null
  let isQuoted = false
  let end = 1
  for (; end < rest.length; end++) {
    const char = rest[end]
    if (char === '\\') end++
    else if (char === '"') isQuoted = !isQuoted
    else if (char === ']' && !isQuoted) break
  }
  const list = parseJsonOrNone(Buffer.from(rest.slice(0, end + 1)))
  if (!Array.isArray(list)) return null
  if (!list.every((one) => typeof one === 'string'))
    throw new DockerfileFault(`the list of ${name} has something that is no text`, line)
  return list
}

function programOf(instruction: Instruction): Program {
  const list = listOf(instruction)
  return list === null
    ? { words: [instruction.rest], isShell: true }
    : { words: list, isShell: false }
}

function requireRest({ rest, name, line }: Instruction): string {
  if (rest === '') throw new DockerfileFault(`${name} has no value`, line)
  return rest
}

/** The values of flags by their names. Throws for others than those of `known`. */
function flagsOf(
  { flags, name, line }: Instruction,
  known: readonly string[],
): Map<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const flag of flags) {
    const [, key = '', value = ''] = /^--([^=]*)(?:=(.*))?$/s.exec(flag) ?? []
    const has = known.includes(key)
    if (!has)
      throw new DockerfileFault(`${name} --${key} is not supported here${wayOut(key)}`, line)
    found.set(key, [...(found.get(key) ?? []), value])
  }
  return found
}

const WAYS_OUT: Readonly<Record<string, string>> = {
  parents: '; name each folder in a COPY of its own',
  exclude: '; put the pattern into .dockerignore',
  checksum: '; fetch the file with RUN and compare its sum there',
  security: '; RUN has the rights of all containers of jobs',
}
const wayOut = (key: string): string => WAYS_OUT[key] ?? '; leave it out'

/** The only value of a flag; an empty text where it is not given. */
const single = (found: ReadonlyMap<string, readonly string[]>, key: string): string =>
  found.get(key)?.at(-1) ?? ''

const readFrom: Reader = (instruction) => {
  const found = flagsOf(instruction, ['platform'])
  const [image = '', as, name = '', ...more] = wordsOf(instruction.rest)
  const isNamed = as !== undefined
  if (image === '' || more.length > 0 || (isNamed && as.toUpperCase() !== 'AS'))
    throw new DockerfileFault('FROM has an image, or an image AS a name', instruction.line)
  if (isNamed && !/^[a-z][a-z0-9_.-]{0,127}$/i.test(name))
    throw new DockerfileFault(`${name || 'nothing'} is no name of a stage`, instruction.line)
  return { kind: 'from', image, platform: single(found, 'platform'), as: name.toLowerCase() }
}

const readArg: Reader = (instruction, escape) => ({
  kind: 'arg',
  args: splitWords(requireRest(instruction), escape).map((word) => {
    const at = word.indexOf('=')
    const name = at < 0 ? word : word.slice(0, at)
    if (name === '') throw new DockerfileFault('ARG has no name', instruction.line)
    return { name, value: at < 0 ? null : word.slice(at + 1) }
  }),
})

/** `name=value …`, or the older form of a name and a value after a space. */
function readPairs(kind: 'env' | 'label'): Reader {
  return (instruction, escape) => {
    const { name, line } = instruction
    const rest = requireRest(instruction)
    const words = splitWords(rest, escape)
    if (!words[0]?.includes('=')) {
      const end = rest.search(/\s/)
      const [first, value] = [rest.slice(0, end), rest.slice(end).trimStart()]
      if (end < 0) throw new DockerfileFault(`${name} has a name and no value`, line)
      return { kind, pairs: [{ name: first, value }] }
    }
    const pairs = words.map((word): Pair => {
      const at = word.indexOf('=')
      if (at < 1) throw new DockerfileFault(`${name} has ${word} in place of a name=value`, line)
      return { name: word.slice(0, at), value: word.slice(at + 1) }
    })
    return { kind, pairs }
  }
}

/** Mounts that begin empty and stay out of the image. */
function mountOf(text: string, line: number): EmptyMount {
  const parts = new Map(
    text.split(',').map((part) => {
      const [key = '', ...value] = part.split('=')
      return [key.trim().toLowerCase(), value.join('=')] as const
    }),
  )
  const type = parts.get('type') ?? 'bind'
  if (type !== 'cache' && type !== 'tmpfs')
    throw new DockerfileFault(
      `RUN --mount=type=${type} is not supported here; ${type === 'bind' ? 'copy the files with COPY' : 'an action gets secrets by its inputs'}`,
      line,
    )
  const target = parts.get('target') ?? parts.get('dst') ?? parts.get('destination') ?? ''
  if (!target.startsWith('/') || target.includes('$') || target.includes(':'))
    throw new DockerfileFault('RUN --mount has a target that begins with a slash', line)
  const isOfRoot = ['uid', 'gid'].every((key) => Number(parts.get(key) ?? 0) === 0)
  if (parts.has('from') || parts.has('source') || !isOfRoot)
    throw new DockerfileFault('RUN --mount has neither from, source nor an owner here', line)
  return { type, target }
}

const readRun: Reader = (instruction) => {
  const { line } = instruction
  const found = flagsOf(instruction, ['mount', 'network'])
  const network = single(found, 'network') || 'default'
  if (network !== 'default')
    throw new DockerfileFault(
      `RUN --network=${network} is not supported here; RUN has the network of jobs`,
      line,
    )
  requireRest(instruction)
  const { heredocs } = instruction
  const program =
    heredocs.length > 0 ? { words: [instruction.rest], isShell: true } : programOf(instruction)
  const mounts = (found.get('mount') ?? []).map((text) => mountOf(text, line))
  return { kind: 'run', program, heredocs, mounts }
}

const MAX_SOURCES = 500
const ADDRESS = /^(?:https?|ftp|git|ssh):\/\/|^git@/i

const readCopy: Reader = (instruction) => {
  const { name, line, heredocs } = instruction
  const isAdd = name === 'ADD'
  const found = flagsOf(instruction, ['chown', 'chmod', 'link', ...(isAdd ? [] : ['from'])])
  const words = listOf(instruction) ?? wordsOf(instruction.rest)
  const target = words.at(-1)
  const given = words.slice(0, -1)
  if (target === undefined || given.length === 0)
    throw new DockerfileFault(`${name} has at least one source and a target`, line)
  const isDocument = (word: string): boolean => heredocs.length > 0 && heredocOf(word) !== null
  const sources = given.filter((word) => !isDocument(word))
  const far = sources.find((word) => ADDRESS.test(word))
  if (isAdd && far !== undefined)
    throw new DockerfileFault(
      `ADD does not fetch ${far} here; fetch it with RUN, or put the file beside the Dockerfile`,
      line,
    )
  if (given.length > MAX_SOURCES)
    throw new DockerfileFault(`${name} has more than ${MAX_SOURCES} sources`, line)
  if (given.length > 1 && !target.endsWith('/') && target !== '.')
    throw new DockerfileFault(
      `${name} with several sources has a target with a slash at its end`,
      line,
    )
  const valueOf = (key: string): string | null => single(found, key) || null
  const options = { from: valueOf('from'), owner: valueOf('chown'), mode: valueOf('chmod') }
  return { kind: 'copy', isAdd, sources, documents: heredocs, target, ...options }
}

const readProgram =
  (kind: 'cmd' | 'entrypoint'): Reader =>
  (instruction) => {
    flagsOf(instruction, [])
    const program = instruction.rest === '' ? { words: [], isShell: false } : programOf(instruction)
    return { kind, program }
  }

const readShell: Reader = (instruction) => {
  const words = listOf(instruction)
  if (words === null || words.length === 0)
    throw new DockerfileFault('SHELL has a list of texts', instruction.line)
  return { kind: 'shell', words }
}

const readWords =
  (kind: 'expose' | 'volume'): Reader =>
  (instruction) => {
    requireRest(instruction)
    const words = (kind === 'volume' ? listOf(instruction) : null) ?? wordsOf(instruction.rest)
    return { kind, words }
  }

const readValue =
  (kind: 'workdir' | 'user' | 'stopsignal'): Reader =>
  (instruction) => ({
    kind,
    value: requireRest(instruction),
  })

const UNITS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
}

/** Nanoseconds of a duration as Go writes it, like `1m30s`. */
function durationOf(text: string, line: number): number {
  const parts = [...text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ns|us|µs|ms|s|m|h)/g)]
  if (parts.map(([whole]) => whole).join('') !== text)
    throw new DockerfileFault(`${text} is no duration; write 30s or 1m30s`, line)
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0)
}

const TIMES: Readonly<Record<string, string>> = {
  interval: 'Interval',
  timeout: 'Timeout',
  'start-period': 'StartPeriod',
  'start-interval': 'StartInterval',
}

const readHealth: Reader = (instruction) => {
  const { line, rest } = instruction
  const found = flagsOf(instruction, [...Object.keys(TIMES), 'retries'])
  const { name: type, rest: program } = splitInstruction(rest, line)
  if (type === 'NONE')
    return { kind: 'healthcheck', health: { test: 'none', times: {}, retries: null } }
  if (type !== 'CMD' || program === '')
    throw new DockerfileFault('HEALTHCHECK has NONE, or CMD and a program', line)
  const times: Record<string, number> = {}
  for (const [flag, key] of Object.entries(TIMES)) {
    const text = single(found, flag)
    if (text !== '') times[key] = durationOf(text, line)
  }
  const retries = single(found, 'retries')
  if (!/^\d{0,6}$/.test(retries)) throw new DockerfileFault('retries is a number', line)
  const test = programOf({ ...instruction, rest: program })
  return {
    kind: 'healthcheck',
    health: { test, times, retries: retries === '' ? null : Number(retries) },
  }
}

const readTrigger: Reader = (instruction, escape) => {
  const value = requireRest(instruction)
  const inner = splitInstruction(value, instruction.line)
  if (['ONBUILD', 'FROM', 'MAINTAINER'].includes(inner.name) || instruction.heredocs.length > 0)
    throw new DockerfileFault(`ONBUILD cannot have ${inner.name} like this`, instruction.line)
  readStatement({ ...inner, heredocs: [] }, escape)
  return { kind: 'onbuild', value }
}

const READERS: Readonly<Record<string, Reader>> = {
  FROM: readFrom,
  ARG: readArg,
  ENV: readPairs('env'),
  LABEL: readPairs('label'),
  RUN: readRun,
  COPY: readCopy,
  ADD: readCopy,
  CMD: readProgram('cmd'),
  ENTRYPOINT: readProgram('entrypoint'),
  SHELL: readShell,
  EXPOSE: readWords('expose'),
  VOLUME: readWords('volume'),
  WORKDIR: readValue('workdir'),
  USER: readValue('user'),
  STOPSIGNAL: readValue('stopsignal'),
  HEALTHCHECK: readHealth,
  ONBUILD: readTrigger,
  MAINTAINER: () => ({ kind: 'maintainer' }),
}

const MAX_TEXT_LENGTH = 200

/** The instruction as the log names it. */
function textOf({ name, flags, rest }: Instruction): string {
  const whole = [name, ...flags, rest].join(' ')
  return whole.length > MAX_TEXT_LENGTH ? `${whole.slice(0, MAX_TEXT_LENGTH)}…` : whole
}

/** Throws a DockerfileFault for what is not supported. */
export function readStatement(instruction: Instruction, escape: string): Statement {
  const reader = READERS[instruction.name]
  if (reader === undefined)
    throw new DockerfileFault(
      `${instruction.name} is no instruction of Dockerfiles`,
      instruction.line,
    )
  const said = reader(instruction, escape)
  return { line: instruction.line, text: textOf(instruction), ...said } as Statement
}
