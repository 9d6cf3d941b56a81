/** What an image says of itself, and how the instructions of a stage change it, as BuildKit does. */
import { posix } from 'node:path'
import { DockerfileFault } from './fault.ts'
import type { Health, Program, Statement } from './instructions.ts'
import { atLine } from './stages.ts'
import { expandWord, expandWords, MAX_WORD_LENGTH } from './words.ts'

/** The part `Config` of an image, with the names of Docker. */
export type ImageConfig = {
  Env?: string[] | null
  Cmd?: string[] | null
  Entrypoint?: string[] | null
  User?: string
  WorkingDir?: string
  Labels?: Record<string, string> | null
  ExposedPorts?: Record<string, object> | null
  Volumes?: Record<string, object> | null
  StopSignal?: string
  Healthcheck?: object | null
  OnBuild?: string[] | null
  Shell?: string[] | null
}

const DEFAULT_SHELL = ['/bin/sh', '-c']
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
/** Of all variables, and of everything that labels, ports and volumes say. */
const MAX_CONFIG_LENGTH = 256 * 1024
const MAX_PORTS = 1_000

const nameOf = (entry: string): string => entry.slice(0, entry.indexOf('='))
const valueOf = (entry: string): string => entry.slice(entry.indexOf('=') + 1)

/** Statements that change what the image says of itself and nothing else. */
export class StageState {
  readonly config: ImageConfig
  /** Variables of ENV and ARG, as later instructions see them. */
  readonly #variables = new Map<string, string>()
  #hasCmd = false

  constructor(
    base: ImageConfig,
    private readonly globals: ReadonlyMap<string, string>,
    private readonly escape: string,
    /** Those of the stage that this one begins with. */
    inherited: ReadonlyMap<string, string> = new Map(),
  ) {
    // Its instructions for images made of it are carried out, and not kept.
    this.config = { ...structuredClone(base), OnBuild: null }
    const env = this.config.Env ?? []
    if (!env.some((entry) => nameOf(entry) === 'PATH'))
      this.config.Env = [...env, `PATH=${DEFAULT_PATH}`]
    for (const entry of this.config.Env ?? []) this.#variables.set(nameOf(entry), valueOf(entry))
    for (const [name, value] of inherited) this.#variables.set(name, value)
  }

  /** The environment of a program. */
  get variables(): ReadonlyMap<string, string> {
    return this.#variables
  }

  get folder(): string {
    return this.config.WorkingDir || '/'
  }

  expand(text: string): string {
    return expandWord(text, this.#rules)
  }

  /** A document, in which quotes mean nothing. */
  expandDocument(text: string): string {
    return expandWord(text, { ...this.#rules, escape: '\\', ignoresQuotes: true })
  }

  get #rules() {
    return { lookup: (name: string) => this.#variables.get(name), escape: this.escape }
  }

  /** A path of the image; a slash at its end is kept. */
  resolve(text: string): string {
    const path = this.expand(text)
    const isFolder = path === '' || path === '.' || /(?:^|\/)\.?$/.test(path)
    const whole = posix.resolve(this.folder, path)
    return isFolder && whole !== '/' ? `${whole}/` : whole
  }

  /** The words that execute a program. */
  wordsOf({ words, isShell }: Program): string[] {
    return isShell ? [...(this.config.Shell ?? DEFAULT_SHELL), ...words] : [...words]
  }

  /** Throws a DockerfileFault. Files are not changed here. */
  apply(statement: Statement): void {
    atLine(statement, () => this.#apply(statement))
    const { Env, Labels, ExposedPorts, Volumes } = this.config
    const length = JSON.stringify([Env, Labels, ExposedPorts, Volumes]).length
    if (length > MAX_CONFIG_LENGTH)
      throw new DockerfileFault('variables and labels are too long together', statement.line)
  }

  #apply(statement: Statement): void {
    const { config } = this
    switch (statement.kind) {
      case 'arg':
        return this.#addArgs(statement.args)
      case 'env':
      case 'label':
        return this.#addPairs(statement)
      case 'cmd':
        this.#hasCmd = true
        config.Cmd = this.wordsOf(statement.program)
        return
      case 'entrypoint':
        config.Entrypoint = this.wordsOf(statement.program)
        // That of the base was for its own program.
        if (!this.#hasCmd) config.Cmd = null
        return
      case 'shell':
        config.Shell = [...statement.words]
        return
      case 'expose':
        return this.#expose(statement.words)
      case 'volume':
        config.Volumes = {
          ...config.Volumes,
          ...Object.fromEntries(
            statement.words.map((word) => [requireText(this.expand(word)), {}] as const),
          ),
        }
        return
      case 'workdir':
        config.WorkingDir = this.resolve(statement.value).replace(/(.)\/$/, '$1')
        return
      case 'user':
        config.User = requireText(this.expand(statement.value))
        return
      case 'stopsignal':
        config.StopSignal = signalOf(this.expand(statement.value))
        return
      case 'healthcheck':
        config.Healthcheck = this.#healthOf(statement.health)
        return
      case 'onbuild':
        config.OnBuild = [...(config.OnBuild ?? []), statement.value]
        return
      default:
        return
    }
  }

  #addArgs(args: readonly { readonly name: string; readonly value: string | null }[]): void {
    const expanded = args.map(({ name, value }) => ({
      name: this.expand(name),
      value: value === null ? this.globals.get(name) : this.expand(value),
    }))
    for (const { name, value } of expanded)
      if (value !== undefined) this.#variables.set(name, value)
  }

  #addPairs({ kind, pairs }: Extract<Statement, { kind: 'env' | 'label' }>): void {
    // All of one instruction see what was there before it.
    const expanded = pairs.map(({ name, value }) => ({
      name: requireText(this.expand(name)),
      value: this.expand(value),
    }))
    const entries = expanded.map(({ name, value }) => [name, value] as const)
    if (kind === 'label') {
      this.config.Labels = { ...this.config.Labels, ...Object.fromEntries(entries) }
      return
    }
    // One that is there keeps its place.
    const env = new Map((this.config.Env ?? []).map((entry) => [nameOf(entry), valueOf(entry)]))
    for (const [name, value] of entries) {
      env.set(name, value)
      this.#variables.set(name, value)
    }
    this.config.Env = [...env].map((pair) => pair.join('='))
  }

  #expose(words: readonly string[]): void {
    const given = words.flatMap((word) => expandWords(word, this.#rules))
    const ports: Record<string, object> = { ...this.config.ExposedPorts }
    let count = Object.keys(ports).length
    for (const one of given) {
      const [, from, to, protocol = 'tcp'] =
        /^(\d{1,5})(?:-(\d{1,5}))?(?:\/(tcp|udp|sctp))?$/i.exec(one) ?? []
      const [first, last] = [Number(from), Number(to ?? from)]
      if (from === undefined || last < first || last > 65_535)
        throw new Error(`${one} is no port; write 8080 or 8080/udp`)
      count += last - first + 1
      if (count > MAX_PORTS) throw new Error(`there are more than ${MAX_PORTS} ports`)
      for (let port = first; port <= last; port++) ports[`${port}/${protocol.toLowerCase()}`] = {}
    }
    this.config.ExposedPorts = ports
  }

  #healthOf({ test, times, retries }: Health): object {
    if (test === 'none') return { Test: ['NONE'] }
    const words = test.isShell ? ['CMD-SHELL', ...test.words] : ['CMD', ...test.words]
    return { Test: words, ...times, ...(retries === null ? {} : { Retries: retries }) }
  }
}

function requireText(text: string): string {
  if (text === '') throw new Error('the value is empty')
  if (text.length > MAX_WORD_LENGTH || text.includes('\0')) throw new Error('the value is too long')
  return text
}

function signalOf(text: string): string {
  if (!/^(?:SIG[A-Z0-9+-]{1,20}|[A-Z0-9+-]{1,20})$/i.test(text))
    throw new Error(`${text} is no signal`)
  return text
}
