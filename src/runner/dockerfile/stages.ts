/** The stages of a Dockerfile, and which of them the last one needs. */
import { DockerfileFault } from './fault.ts'
import { readStatement, type Statement } from './instructions.ts'
import { parseLines } from './lines.ts'
import { expandWord, type Lookup } from './words.ts'

const MAX_STAGES = 50

type From = Extract<Statement, { kind: 'from' }>

export type Stage = {
  readonly from: From
  /** What it begins with: the index of a stage, or an image; `scratch` for nothing. */
  readonly base: number | string
  readonly statements: readonly Statement[]
}

export type Dockerfile = {
  readonly stages: readonly Stage[]
  /** The indexes of stages that are built, in this order. The last one is the image. */
  readonly needed: readonly number[]
  readonly escape: string
  /** Values of ARG before the first FROM, with those that say for which machine it is. */
  readonly globals: ReadonlyMap<string, string>
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** The variables that say for which machine an image is, as BuildKit sets them. */
function platformArgs(): [string, string][] {
  const architecture = ARCHITECTURES[process.arch] ?? process.arch
  return ['TARGET', 'BUILD'].flatMap((prefix) => [
    [`${prefix}PLATFORM`, `linux/${architecture}`],
    [`${prefix}OS`, 'linux'],
    [`${prefix}ARCH`, architecture],
    [`${prefix}VARIANT`, ''],
  ])
}

/** Calls with what is said of the line of a statement. */
export function atLine<T>({ line }: { readonly line: number }, call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (error instanceof DockerfileFault) throw error
    throw new DockerfileFault(error instanceof Error ? error.message : String(error), line)
  }
}

function requirePlatform(platform: string, { line }: From): void {
  const architecture = ARCHITECTURES[process.arch] ?? process.arch
  const [os, own, ...variant] = platform.split('/')
  const isOurs = os === 'linux' && (own === undefined || own === architecture)
  if (platform === '' || (isOurs && variant.length <= 1)) return
  throw new DockerfileFault(
    `FROM --platform=${platform} is for another machine than this one (linux/${architecture})`,
    line,
  )
}

/** The stage before the one of an index that a name or a number names; null for an image. */
function stageOf(stages: readonly From[], name: string, before: number): number | null {
  const wanted = name.toLowerCase()
  const found = stages.findLastIndex(({ as }, at) => at < before && as !== '' && as === wanted)
  return found < 0 ? null : found
}

/** The index of the stage that `--from` of a COPY names; null for an image. */
export function copiedStage(
  stages: readonly { readonly from: From }[],
  name: string,
  before: number,
): number | null {
  const froms = stages.map(({ from }) => from)
  if (/^\d{1,3}$/.test(name)) return Number(name) < before ? Number(name) : null
  return stageOf(froms, name, before)
}

type Sections = {
  readonly before: Statement[]
  readonly parts: { readonly from: From; readonly statements: Statement[] }[]
}

function sectionsOf(statements: readonly Statement[]): Sections {
  const sections: Sections = { before: [], parts: [] }
  for (const statement of statements) {
    if (statement.kind === 'from') sections.parts.push({ from: statement, statements: [] })
    else (sections.parts.at(-1)?.statements ?? sections.before).push(statement)
  }
  const other = sections.before.find(({ kind }) => kind !== 'arg')
  if (other !== undefined) throw new DockerfileFault('only ARG stands before FROM', other.line)
  if (sections.parts.length === 0) throw new DockerfileFault('it has no FROM')
  if (sections.parts.length > MAX_STAGES)
    throw new DockerfileFault(`it has more than ${MAX_STAGES} stages`)
  return sections
}

function globalsOf(statements: readonly Statement[], escape: string): Map<string, string> {
  const globals = new Map(platformArgs())
  const lookup: Lookup = (name) => globals.get(name)
  for (const statement of statements) {
    if (statement.kind !== 'arg') continue
    for (const { name, value } of statement.args)
      if (value !== null)
        globals.set(
          name,
          atLine(statement, () => expandWord(value, { lookup, escape })),
        )
  }
  return globals
}

/** The stages that the last one is made of, each after those that it needs. */
function neededOf(stages: readonly Stage[]): number[] {
  const needed = new Set<number>()
  const add = (index: number): void => {
    const stage = stages[index]
    if (stage === undefined || needed.has(index)) return
    if (typeof stage.base === 'number') add(stage.base)
    for (const statement of stage.statements) {
      const from = statement.kind === 'copy' ? statement.from : null
      const found = from === null ? null : copiedStage(stages, from, index)
      if (found !== null) add(found)
    }
    needed.add(index)
  }
  add(stages.length - 1)
  return [...needed]
}

/** Throws a DockerfileFault for what is wrong or not supported. */
export function readDockerfile(text: string): Dockerfile {
  const { instructions, escape } = parseLines(text)
  const { before, parts } = sectionsOf(instructions.map((one) => readStatement(one, escape)))
  const globals = globalsOf(before, escape)
  const lookup: Lookup = (name) => globals.get(name)
  const froms = parts.map(({ from }) => from)
  const stages = parts.map(({ from, statements }, index): Stage => {
    const expand = (text: string): string =>
      atLine(from, () => expandWord(text, { lookup, escape }))
    requirePlatform(expand(from.platform), from)
    const name = expand(from.image)
    if (name === '') throw new DockerfileFault('FROM has no image', from.line)
    return { from, base: stageOf(froms, name, index) ?? name, statements }
  })
  return { stages, needed: neededOf(stages), escape, globals }
}
