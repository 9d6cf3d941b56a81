// A session as a story: the summary first, then messages and decisions, with the tool calls between
// two messages folded into one line.
import { formatCost, formatNumber, shortSha } from '../format.ts'
import type { Child } from '../jsx/html.ts'
import { Avatar, ActorLink, type ActorSummary } from './avatar.tsx'
import { EmptyState } from './card.tsx'
import { Icon, type IconName } from './icon.tsx'
import { TextBeginning } from './text-beginning.tsx'
import { Duration, RelativeTime } from './time.tsx'
import { localized, rich, t, texts, tn } from '../text.ts'
import { stateWord } from '../messages.ts'

/** One entry, as `read_session` returns it. */
export interface StoryEntry {
  seq: number
  kind: string
  text: string
  tool?: string | null
  at: string
  author?: ActorSummary | null
  sha?: string | null
  data?: Readonly<Record<string, unknown>> | null
  truncated?: boolean
  redacted?: boolean
}

/** Steps that are folded into one line. */
export const FOLDED_KINDS: ReadonlySet<string> = new Set(['tool', 'result', 'edit', 'thought'])

const number = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0
const words = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

/** The sums of the usage entries. */
export const storyCost = (
  entries: readonly StoryEntry[],
): { usd: number; input: number; output: number; models: string[] } => {
  const models = new Set<string>()
  const sums = { usd: 0, input: 0, output: 0 }
  for (const { kind, data } of entries) {
    if (kind !== 'usage' || !data) continue
    sums.usd += number(data.cost_usd)
    sums.input += number(data.input_tokens)
    sums.output += number(data.output_tokens)
    if (typeof data.model === 'string') models.add(data.model)
  }
  return { ...sums, models: [...models] }
}

const EntryChips = ({ entry }: { entry: StoryEntry }) => (
  <>
    {entry.redacted && <span class="chip tone-wait">{t('secret removed')}</span>}
    {entry.truncated && <span class="chip">{t('cut')}</span>}
  </>
)

const inputText = (input: unknown): string => {
  if (input === undefined || input === null) return ''
  if (typeof input === 'object' && 'command' in input && typeof input.command === 'string')
    return input.command
  return JSON.stringify(input, null, 2)
}

/** Where an entry is shown whole, and what a step shows of each of its texts. */
interface StepLimits {
  readonly maxStepBytes?: number
  readonly wholeHref?: (entry: StoryEntry) => string
}

/** The paths, the input and the text of a step. Those that scroll by themselves take the focus. */
const StepTexts = ({
  entry,
  input,
  wholeHref,
  maxStepBytes = Number.POSITIVE_INFINITY,
}: { entry: StoryEntry; input: string } & StepLimits) => {
  const paths = words(entry.data?.paths).join('  ')
  const beginning = (text: string) => (
    <TextBeginning text={text} maxBytes={maxStepBytes} href={wholeHref?.(entry) ?? ''} />
  )
  const scrolling = (label: string, text: string) => (
    <pre tabindex="0" role="group" aria-label={label}>
      {beginning(text)}
    </pre>
  )
  return (
    <>
      {paths !== '' && <p class="step-paths mono">{beginning(paths)}</p>}
      {input && scrolling(t('Input'), input)}
      {entry.text &&
        entry.text !== input &&
        (entry.kind === 'thought' ? (
          <p class="pre-line">{beginning(entry.text)}</p>
        ) : (
          scrolling(t('Text of the entry'), entry.text)
        ))}
    </>
  )
}

const Step = ({ entry, ...limits }: { entry: StoryEntry } & StepLimits) => {
  const data = entry.data ?? {}
  const bad = data.ok === false || (typeof data.exit_code === 'number' && data.exit_code !== 0)
  const icon: IconName =
    entry.kind === 'edit'
      ? 'edit'
      : entry.kind === 'thought'
        ? 'comment'
        : entry.kind === 'result'
          ? 'arrow-right'
          : 'terminal'
  return (
    <li class={['step', bad && 'step-bad']} id={`entry-${entry.seq}`}>
      <p class="step-head">
        <Icon name={icon} />
        <span class="mono">
          {entry.kind === 'tool'
            ? (entry.tool ?? t('tool'))
            : entry.kind === 'edit'
              ? t('edit')
              : entry.kind}
        </span>
        {bad && (
          <span class="chip tone-bad">
            {typeof data.exit_code === 'number'
              ? t('exit {exit_code}', { exit_code: data.exit_code })
              : t('failed')}
          </span>
        )}
        {number(data.duration_ms) > 0 && (
          <span class="muted">
            <Duration milliseconds={number(data.duration_ms)} />
          </span>
        )}
        <EntryChips entry={entry} />
        <a
          class="step-seq"
          href={`#entry-${entry.seq}`}
          aria-label={t('Link to entry {seq}', { seq: entry.seq })}
        >
          {entry.seq}
        </a>
      </p>
      <StepTexts entry={entry} input={inputText(data.input)} {...limits} />
    </li>
  )
}

const describeGroup = (entries: readonly StoryEntry[]): string => {
  const tools = entries.filter((entry) => entry.kind === 'tool').length
  const files = new Set(
    entries.flatMap((entry) => (entry.kind === 'edit' ? words(entry.data?.paths) : [])),
  )
  const thoughts = entries.filter((entry) => entry.kind === 'thought').length
  const parts = [
    tools > 0 && tn('{count} tool call', '{count} tool calls', tools),
    files.size > 0 && tn('{count} file edited', '{count} files edited', files.size),
    thoughts > 0 && tn('{count} thought', '{count} thoughts', thoughts),
  ]
  return parts.filter(Boolean).join(', ') || tn('{count} step', '{count} steps', entries.length)
}

const StepGroup = ({ entries, ...limits }: { entries: readonly StoryEntry[] } & StepLimits) => {
  const failures = entries.filter(
    (entry) =>
      entry.data?.ok === false ||
      (typeof entry.data?.exit_code === 'number' && entry.data.exit_code !== 0),
  ).length
  const names = [
    ...new Set(
      entries.flatMap((entry) => (entry.kind === 'tool' && entry.tool ? [entry.tool] : [])),
    ),
  ]
  return (
    <li class="story-work">
      <details>
        <summary>
          <Icon name="chevron-right" />
          <span>{describeGroup(entries)}</span>
          {names.length > 0 && (
            <span class="muted mono small">
              {names.slice(0, 4).join(' · ')}
              {names.length > 4 ? ' …' : ''}
            </span>
          )}
          {failures > 0 && (
            <span class="chip tone-bad">{rich('{failures} failed', { failures })}</span>
          )}
        </summary>
        <ol class="steps">
          {entries.map((entry) => (
            <Step entry={entry} {...limits} />
          ))}
        </ol>
      </details>
    </li>
  )
}

const ENTRY_STYLES: Record<string, { icon: IconName; tone?: string; word?: string }> = localized({
  message: { icon: 'comment' },
  plan: { icon: 'plan', word: 'Plan' },
  checkpoint: { icon: 'commit', word: 'Pushed' },
  check: { icon: 'check-circle', word: 'Check' },
  question: { icon: 'question', tone: 'wait', word: 'Asked' },
  answer: { icon: 'comment', tone: 'good', word: 'Answer' },
  error: { icon: 'warning', tone: 'bad', word: 'Failed' },
  summary: { icon: 'flame', word: 'Summary' },
})

/** What errors of the service mean for the agent, by their codes. */
const ERROR_WORDS: Record<string, string> = texts({
  cost_cap: 'Stopped',
  waiting: 'Needs attention',
  max_revisions: 'Needs attention',
})

interface PlanStep {
  text: string
  done?: unknown
}

function entryStyle(
  entry: StoryEntry,
  status: string,
): { icon: IconName; tone?: string; word?: string } {
  const style = ENTRY_STYLES[entry.kind] ?? { icon: 'circle', word: entry.kind }
  if (entry.kind === 'error') {
    const word = ERROR_WORDS[String(entry.data?.code)]
    return word === undefined ? style : { ...style, word }
  }
  if (entry.kind !== 'check') return style
  const failed = status === 'failed' || status === 'errored'
  return { ...style, tone: status === 'passed' ? 'good' : failed ? 'bad' : 'wait' }
}

const PlanSteps = ({ steps }: { steps: readonly PlanStep[] }) => (
  <ul class="plan-steps">
    {steps.map((step) => (
      <li class={step.done === true ? 'done' : undefined}>
        <Icon
          name={step.done === true ? 'check-circle' : 'circle'}
          label={step.done === true ? t('Done') : t('To do')}
        />{' '}
        <span>{step.text}</span>
      </li>
    ))}
  </ul>
)

const CheckpointCommit = ({ sha, href }: { sha: string; href: string | undefined }) =>
  href === undefined ? (
    <code>{shortSha(sha)}</code>
  ) : (
    <a class="sha" href={href}>
      {shortSha(sha)}
    </a>
  )

/** The first line of an entry: who or what it is, its status, and when it was. */
const StoryHead = ({
  entry,
  commitHref,
  now,
}: Pick<StoryLineProps, 'entry' | 'commitHref' | 'now'>) => {
  const data = entry.data ?? {}
  const status = typeof data.status === 'string' ? data.status : ''
  const { tone, word } = entryStyle(entry, status)
  const sha = typeof data.sha === 'string' ? data.sha : entry.sha
  const quoted = isQuoted(entry)
  const byAuthor = (quoted || entry.kind === 'answer') && Boolean(entry.author)
  return (
    <p class="story-head">
      {entry.kind === 'message' ? (
        <ActorLink of={entry.author ?? null} face={false} />
      ) : (
        <strong>{byAuthor ? (quoted ? t('Asked by') : t('Answered by')) : word}</strong>
      )}
      {byAuthor && entry.author && <ActorLink of={entry.author} face={false} />}
      {status && <span class={['chip', tone && `tone-${tone}`]}>{stateWord(status)}</span>}
      {typeof data.command === 'string' && <code>{data.command}</code>}
      {entry.kind === 'checkpoint' && sha && (
        <CheckpointCommit sha={sha} href={commitHref?.(sha)} />
      )}
      <EntryChips entry={entry} />
      <a class="muted" href={`#entry-${entry.seq}`}>
        <RelativeTime at={entry.at} now={now} />
      </a>
    </p>
  )
}

interface StoryLineProps {
  entry: StoryEntry
  body: Child
  footer?: Child
  commitHref?: (sha: string) => string
  now?: number
}

/** A question of another system names who asked, and its text is set off as a quotation. */
const isQuoted = ({ kind, data }: StoryEntry): boolean =>
  kind === 'question' && typeof data?.question === 'string'

const StoryLine = ({ entry, body, footer, commitHref, now }: StoryLineProps) => {
  const data = entry.data ?? {}
  const { icon, tone } = entryStyle(entry, typeof data.status === 'string' ? data.status : '')
  const steps = (Array.isArray(data.steps) ? data.steps : []).filter(
    (step): step is PlanStep =>
      typeof step === 'object' && step !== null && typeof step.text === 'string',
  )
  const byPerson = entry.kind === 'message' && data.role === 'user'
  return (
    <li
      class={[
        'story-line',
        byPerson && 'story-person',
        `story-${entry.kind.replace(/[^a-z0-9_]/g, '')}`,
      ]}
      id={`entry-${entry.seq}`}
    >
      <span class={['event-icon', tone && `tone-${tone}`]}>
        {entry.kind === 'message' && entry.author ? (
          <Avatar of={entry.author} size={30} />
        ) : (
          <Icon name={icon} />
        )}
      </span>
      <div class="story-text">
        <StoryHead entry={entry} commitHref={commitHref} now={now} />
        {steps.length > 0 && <PlanSteps steps={steps} />}
        {isQuoted(entry) ? <blockquote>{body}</blockquote> : body}
        {footer}
      </div>
    </li>
  )
}

interface SessionStoryProps extends StepLimits {
  entries: readonly StoryEntry[]
  render?: (text: string, entry: StoryEntry) => Child
  /** Content below an entry, such as a form that answers a question. */
  footer?: (entry: StoryEntry) => Child
  commitHref?: (sha: string) => string
  cost?: number | null
  /**
   * The last summary of the whole session, for a page with a part of the entries. Undefined looks
   * for it among them.
   */
  summary?: StoryEntry | null
  /** The addresses of the entries before the first and after the last one here. */
  earlier?: string | null
  later?: string | null
  now?: number
}

/** The totals in the head of a session: entries, time, cost, tokens, models. */
const StoryFacts = ({ entries, cost }: { entries: readonly StoryEntry[]; cost: number | null }) => {
  const sums = storyCost(entries)
  const usd = cost ?? sums.usd
  const first = entries[0]
  const last = entries.at(-1)
  const span = first && last ? Date.parse(last.at) - Date.parse(first.at) : 0
  return (
    <div class="story-facts">
      <span>
        <Icon name="spark" /> {tn('{count} entry', '{count} entries', last?.seq ?? entries.length)}
      </span>
      {span > 0 && (
        <span>
          <Icon name="clock" /> <Duration milliseconds={span} />
        </span>
      )}
      {usd > 0 && (
        <span>
          <Icon name="cost" /> {formatCost(usd)}
        </span>
      )}
      {sums.input + sums.output > 0 && (
        <span class="muted">
          {rich('{input} tokens in, {output} out', {
            input: formatNumber(sums.input),
            output: formatNumber(sums.output),
          })}
        </span>
      )}
      {sums.models.length > 0 && <span class="muted">{sums.models.join(', ')}</span>}
    </div>
  )
}

/** The entries in order, with tool calls between two messages folded into one group. */
function storyParts(
  props: SessionStoryProps,
  summary: StoryEntry | undefined,
  show: (entry: StoryEntry) => Child,
): Child[] {
  const { wholeHref, maxStepBytes } = props
  const parts: Child[] = []
  let folded: StoryEntry[] = []
  const flush = (): void => {
    if (folded.length > 0)
      parts.push(<StepGroup entries={folded} {...{ wholeHref, maxStepBytes }} />)
    folded = []
  }
  for (const entry of props.entries) {
    if (entry.seq === summary?.seq || entry.kind === 'usage') continue
    if (FOLDED_KINDS.has(entry.kind)) {
      folded.push(entry)
      continue
    }
    flush()
    parts.push(
      <StoryLine
        entry={entry}
        body={show(entry)}
        footer={props.footer?.(entry)}
        commitHref={props.commitHref}
        now={props.now}
      />,
    )
  }
  flush()
  return parts
}

/**
 * A session. `render` turns the Markdown of a message into HTML; without it the text is shown as
 * typed. The last summary comes first and is not repeated. Usage entries appear as sums in the
 * head. `cost` is the cost of the whole session, for a page with a part of the entries.
 */
export const SessionStory = (props: SessionStoryProps) => {
  const { entries } = props
  if (entries.length === 0) {
    return (
      <EmptyState icon="spark" title={t('No session yet')}>
        <p>
          {t(
            'When an agent works on this pull request, its messages, tools and checkpoints are told here.',
          )}
        </p>
      </EmptyState>
    )
  }
  const show = (entry: StoryEntry): Child => {
    if (entry.text === '') return null
    return props.render ? props.render(entry.text, entry) : <p class="pre-line">{entry.text}</p>
  }
  const summary = props.summary ?? entries.findLast((entry) => entry.kind === 'summary')
  const parts = storyParts(props, summary, show)
  return (
    <section class="story" aria-label={t('Session')}>
      <StoryFacts entries={entries} cost={props.cost ?? null} />
      {summary && (
        <div class="story-summary" id={`entry-${summary.seq}`}>
          <h2>
            <Icon name="flame" /> {t('Summary')}
          </h2>
          {show(summary)}
        </div>
      )}
      {props.earlier && (
        <p>
          <a href={props.earlier}>{t('Show earlier entries')}</a>
        </p>
      )}
      <ol class="story-lines">{parts}</ol>
      {props.later && (
        <p>
          <a href={props.later}>{t('Show later entries')}</a>
        </p>
      )}
    </section>
  )
}
