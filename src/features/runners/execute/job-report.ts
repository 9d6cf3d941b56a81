/** What a job tells while it runs: lines of the log, states of steps, annotations, summaries. */
import { CommandReader, Masks, type Command } from '#actions'
import { AddressReplacer } from '#lib/replace-bytes.ts'
import { OutputProblems } from './output-problems.ts'
import type { Annotation, Conclusion, ExecutionHost, StepState } from './job-input.ts'
import { StepOutput } from './step-output.ts'

const MAX_LOG_BYTES = 256 * 1024 ** 2
/** Of a log that is too long the rest is read so slowly that it costs nothing. */
const OVERFLOW_PAUSE_MS = 20
const MAX_ANNOTATIONS = 50
const MAX_ANNOTATIONS_PER_LEVEL = 10
const MAX_SUMMARY_CHARS = 1024 * 1024

const LEVELS: Readonly<Record<string, Annotation['level']>> = {
  error: 'failure',
  warning: 'warning',
  notice: 'notice',
}

/** Receives what commands of a step set. */
export type CommandTarget = {
  setOutput(name: string, value: string): void
  saveState(name: string, value: string): void
  /** The text of a small file of the job; null where there is none, and left out where none is. */
  readFile?(path: string): string | null
}

const numberOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : null

export class JobReport {
  readonly masks = new Masks()
  /** The values that steps let hide. */
  readonly hidden = new Set<string>()
  readonly annotations: Annotation[] = []
  summary = ''
  /** Why the whole job has failed, whatever its steps say. */
  fault: string | null = null
  readonly #problems = new OutputProblems()
  /** Puts the address for people in place of that of the door. */
  readonly #addresses: AddressReplacer
  readonly #steps = new Map<number, StepState>()
  #isFull = false
  #warnedOfOldCommands = false

  constructor(
    private readonly host: Pick<ExecutionHost, 'log' | 'now' | 'report' | 'door'>,
    private readonly isDebug: boolean,
  ) {
    const { door } = host
    this.#addresses = new AddressReplacer(
      door ? [{ from: door.address, to: door.publicAddress }] : [],
    )
  }

  get steps(): readonly StepState[] {
    return [...this.#steps.values()]
  }

  /** A text as people get it: secrets are hidden, and the forge has its public address. */
  textForPeople(text: string): string {
    return this.withPublicAddress(this.masks.maskText(text))
  }

  withPublicAddress(text: string): string {
    return this.#addresses.text(text)
  }

  /** Writes lines to the log, with secrets hidden. */
  line(text: string): void {
    this.#write(this.masks.mask(Buffer.from(`${text}\n`)))
  }

  /** Hides a value from now on. False when it is too long or one too many. */
  hide(value: string): boolean {
    if (this.hidden.has(value)) return true
    if (!this.masks.add(value)) return false
    this.hidden.add(value)
    return true
  }

  error(step: number, message: string): void {
    this.line(`##[error]${message}`)
    this.#annotate({ ...NO_PLACE, step, level: 'failure', message })
  }

  failJob(message: string): void {
    this.line(`##[error]${message}`)
    this.fault ??= message
  }

  warning(step: number, message: string): void {
    this.line(`##[warning]${message}`)
    this.#annotate({ ...NO_PLACE, step, level: 'warning', message })
  }

  beginStep(number: number, name: string): void {
    this.#set({
      number,
      name: this.textForPeople(name),
      status: 'in_progress',
      conclusion: null,
      started_at: this.host.now(),
      finished_at: null,
      log_from: this.host.log.lines + 1,
      log_to: null,
    })
  }

  endStep(number: number, conclusion: Conclusion): void {
    const step = this.#steps.get(number)
    if (!step) return
    const { lines } = this.host.log
    const hasLines = step.log_from !== null && lines >= step.log_from
    this.#set({
      ...step,
      status: 'completed',
      conclusion,
      finished_at: this.host.now(),
      log_from: hasLines ? step.log_from : null,
      log_to: hasLines ? lines : null,
    })
  }

  skipStep(number: number, name: string): void {
    this.#set({
      number,
      name: this.textForPeople(name),
      status: 'completed',
      conclusion: 'skipped',
      started_at: null,
      finished_at: null,
      log_from: null,
      log_to: null,
    })
  }

  addSummary(text: string): void {
    if (text === '' || this.summary.length >= MAX_SUMMARY_CHARS) return
    const all = `${this.summary}${this.textForPeople(text)}\n`
    this.summary = all.slice(0, MAX_SUMMARY_CHARS)
  }

  /** The way of a step's output into the log. `push` resolves when more may come. */
  outputOf(
    step: number,
    target: CommandTarget,
  ): { push(bytes: Uint8Array): Promise<void> | void; end(): void } {
    const output = new StepOutput({
      masks: this.masks,
      commands: new CommandReader(),
      write: (data) => this.#write(data),
      obey: (command, line) => this.#obey(step, command, line, target),
      watch: (lines) => this.#watch(step, lines),
    })
    return {
      push: (bytes) => {
        if (this.#isFull) return Bun.sleep(OVERFLOW_PAUSE_MS)
        output.push(bytes)
      },
      end: () => output.end(),
    }
  }

  #write(lines: Buffer): void {
    if (this.#isFull) return
    const { log, now, door } = this.host
    const data = door ? this.#addresses.whole(lines) : lines
    if (log.bytes + data.length <= MAX_LOG_BYTES) return log.write(data, now())
    this.#isFull = true
    const mebibytes = MAX_LOG_BYTES / 1024 ** 2
    log.write(
      Buffer.from(`##[warning]The log is larger than ${mebibytes} MiB. The rest is left out.\n`),
      now(),
    )
  }

  #set(step: StepState): void {
    this.#steps.set(step.number, step)
    this.host.report(step)
  }

  #annotate(annotation: Annotation): void {
    const same = this.annotations.filter(
      ({ step, level }) => step === annotation.step && level === annotation.level,
    )
    if (same.length >= MAX_ANNOTATIONS_PER_LEVEL) return
    if (this.annotations.length >= MAX_ANNOTATIONS) return
    const hide = (text: string | null): string | null =>
      text === null ? null : this.textForPeople(text)
    this.annotations.push({
      ...annotation,
      file: hide(annotation.file),
      title: hide(annotation.title),
      message: this.textForPeople(annotation.message),
    })
  }

  /** Obeys a command of a step's output. Returns what the log shows. */
  #obey(step: number, command: Command, line: string, target: CommandTarget): string | null {
    const { name, properties, data } = command
    const level = LEVELS[name]
    if (level !== undefined) {
      this.#annotate({
        step,
        level,
        file: properties.file ?? null,
        line: numberOf(properties.line),
        end_line: numberOf(properties.endLine),
        column: numberOf(properties.col),
        title: properties.title ?? null,
        message: data,
      })
      return `##[${name}]${data}`
    }
    switch (name) {
      case 'add-mask':
        if (!this.hide(data))
          this.warning(step, 'A value is too long, or one too many, to be hidden')
        return '::add-mask::***'
      case 'debug':
        return this.isDebug ? `##[debug]${data}` : null
      case 'group':
        return `##[group]${data}`
      case 'endgroup':
        return '##[endgroup]'
      case 'add-matcher':
        this.#addMatcher(step, data, target)
        return line
      case 'remove-matcher':
        this.#problems.remove(properties.owner ?? '')
        return line
      case 'set-output':
      case 'save-state':
        this.#warnOfOldCommand(step, name)
        if (name === 'set-output') target.setOutput(properties.name ?? '', data)
        else target.saveState(properties.name ?? '', data)
        return null
      case 'set-env':
      case 'add-path':
        this.error(
          step,
          `The command ${name} is not obeyed, because any output could use it. Write to the file ${name === 'set-env' ? '$GITHUB_ENV' : '$GITHUB_PATH'}.`,
        )
        return null
      default:
        return line
    }
  }

  /** Problems that matchers find become annotations. */
  #watch(step: number, lines: Buffer): void {
    if (this.#problems.isEmpty) return
    for (const { severity, code, ...problem } of this.#problems.find(lines))
      this.#annotate({
        ...problem,
        step,
        level: LEVELS[severity] ?? 'failure',
        end_line: null,
        title: code,
      })
    if (this.#problems.isOverBudget) {
      this.#problems.giveUp()
      this.warning(step, 'Problem matchers took too long, so they are off from here')
    }
  }

  #addMatcher(step: number, path: string, target: CommandTarget): void {
    if (!target.readFile) return
    const fault = this.#problems.add(target.readFile(path))
    if (fault !== null) this.warning(step, `The problem matchers of ${path} are not used: ${fault}`)
  }

  #warnOfOldCommand(step: number, name: string): void {
    if (this.#warnedOfOldCommands) return
    this.#warnedOfOldCommands = true
    const file = name === 'set-output' ? '$GITHUB_OUTPUT' : '$GITHUB_STATE'
    this.warning(step, `The command ${name} is old. Write to the file ${file}.`)
  }
}

const NO_PLACE = { file: null, line: null, end_line: null, column: null, title: null }
