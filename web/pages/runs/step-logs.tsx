// The output of steps. A page shows one part of the log of each open step: the last lines, those
// around a line that the address names, or the part that a link leads to.
import { getJobLog, type JobLog, type WorkflowJob } from '#features/workflows/index.ts'
import { Duration, Icon } from '../../components/index.ts'
import { withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { rich, t } from '../../text.ts'
import { LogLines } from './log-lines.tsx'
import { durationOf, RunState } from './states.tsx'

type Step = WorkflowJob['steps'][number]

/** A part of a log, and what is before and after it. */
export type LogWindow = {
  readonly lines: JobLog['lines']
  /** The step that the links of the part stay in; null for a log without steps. */
  readonly step: number | null
  /** The first line of the step or log. */
  readonly first: number
  readonly hasLater: boolean
}

export type StepWithLog = { readonly step: Step; readonly log: LogWindow | null }

/** Of a step that is open by itself, its last lines. */
const TAIL_LINES = 300
/** Lines of a part that a link leads to: as many as one answer has. */
const PART_LINES = 1_000
/** Lines above the one that an address names. */
const LINES_ABOVE = 200

const isOpen = ({ status, conclusion }: Step): boolean =>
  status === 'in_progress' || conclusion === 'failure' || conclusion === 'timed_out'

/** What the address asks for: a line, or a step, also from a line on. */
type LogRequest = {
  readonly line: number | null
  readonly step: number | null
  readonly after: number | null
}

function readLogRequest({ searchParams }: URL): LogRequest {
  const number = (name: string): number | null => {
    const text = /^\d{1,9}$/.exec(searchParams.get(name) ?? '')?.[0]
    return text === undefined ? null : Number(text)
  }
  return { line: number('line'), step: number('step'), after: number('after') }
}

const holds = ({ log_from, log_to }: Step, line: number): boolean =>
  log_from !== null && log_from <= line && (log_to === null || line <= log_to)

/** The part to read of a step, or of a log without steps; null for none. */
function partOf(step: Step | null, { line, step: asked, after }: LogRequest) {
  if (line !== null && (step === null || holds(step, line)))
    return { after: Math.max(0, line - LINES_ABOVE - 1) }
  const isAsked = step === null || step.number === asked
  if (isAsked && after !== null) return { after }
  return isAsked || isOpen(step) ? { tail: TAIL_LINES } : null
}

async function readPart(
  visit: Visit,
  target: { repo: string; id: string },
  step: Step | null,
  asked: LogRequest,
): Promise<LogWindow | null> {
  const part = step !== null && step.log_from === null ? null : partOf(step, asked)
  const log =
    part &&
    (await visit.tryCall(getJobLog, { ...target, ...part, ...(step && { step: step.number }) }))
  if (!log) return null
  return {
    lines: log.lines,
    step: step?.number ?? null,
    first: step?.log_from ?? 1,
    hasLater: log.next !== null,
  }
}

export async function readLogs(
  visit: Visit,
  target: { repo: string; id: string },
  { steps }: WorkflowJob,
): Promise<{ steps: StepWithLog[]; whole: LogWindow | null }> {
  const asked = readLogRequest(visit.url)
  if (steps.length === 0) return { steps: [], whole: await readPart(visit, target, null, asked) }
  const shown: StepWithLog[] = []
  for (const step of steps) shown.push({ step, log: await readPart(visit, target, step, asked) })
  return { steps: shown, whole: null }
}

/** Links to the parts before and after, and to the whole log as text. */
const PartLinks = ({
  part,
  here,
  of,
}: {
  part: LogWindow
  here: string
  of: 'before' | 'after'
}) => {
  const { lines, step, first, hasLater } = part
  const from = lines[0]?.n ?? first
  const last = lines.at(-1)?.n ?? first
  const at = (after: number) => withQuery(here, { step: step ?? undefined, after: `${after}` })
  const anchor = step === null ? '' : `#step-${step}`
  if (of === 'after')
    return hasLater ? (
      <p class="muted small">
        <a href={`${at(last)}${anchor}`} rel="nofollow">
          {t('Later lines')}
        </a>
      </p>
    ) : null
  const hidden = from - first
  return hidden <= 0 ? null : (
    <p class="muted small">
      {rich('{hidden} lines above. <a>Earlier lines</a> <b>First lines</b> <c>The whole log</c>', {
        hidden,
        a: (inner) => (
          <a href={`${at(Math.max(first - 1, from - 1 - PART_LINES))}${anchor}`} rel="nofollow">
            {inner}
          </a>
        ),
        b: (inner) => (
          <a href={`${at(first - 1)}${anchor}`} rel="nofollow">
            {inner}
          </a>
        ),
        c: (inner) => <a href={`${here}.log`}>{inner}</a>,
      })}
    </p>
  )
}

export const LogPart = ({
  part,
  label,
  id,
  here,
}: {
  part: LogWindow
  label: string
  id: string
  here: string
}) => (
  <>
    <PartLinks part={part} here={here} of="before" />
    <LogLines lines={part.lines} label={label} id={id} here={here} />
    <PartLinks part={part} here={here} of="after" />
  </>
)

const NoLines = ({ step, here }: { step: Step; here: string }) => (
  <p class="muted small">
    {step.log_from === null ? (
      step.status === 'completed' ? (
        t('It wrote nothing.')
      ) : (
        t('Nothing yet.')
      )
    ) : (
      <a href={`${withQuery(here, { step: step.number })}#step-${step.number}`} rel="nofollow">
        {t('Show the output')}
      </a>
    )}
  </p>
)

export const StepView = ({
  shown: { step, log },
  here,
  now,
}: {
  shown: StepWithLog
  here: string
  now: number
}) => {
  const took = durationOf(step, now)
  const hasLines = log !== null && log.lines.length > 0
  return (
    <li class="check" id={`step-${step.number}`}>
      <details open={isOpen(step) || hasLines}>
        <summary>
          <Icon name="chevron-right" />
          <span class="check-command">{step.name}</span>
          <span class="check-facts">
            {took !== null && <Duration milliseconds={took} />}
            <RunState of={step} />
          </span>
        </summary>
        {hasLines ? (
          <LogPart
            part={log}
            label={t('Output of {name}', { name: step.name })}
            id={`log-${step.number}`}
            here={here}
          />
        ) : (
          <NoLines step={step} here={here} />
        )}
      </details>
    </li>
  )
}
