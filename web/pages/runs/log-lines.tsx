// Lines of a log with their numbers, each with an address. Escape sequences become colours.
import type { JobLog } from '#features/workflows/index.ts'
import { ansiSpans } from './ansi.ts'
import { withQuery } from '../../paths.ts'
import { t } from '../../text.ts'

/** How a line that is a command of the dialect is shown; null for lines that only end a group. */
function shownLine(text: string): { readonly text: string; readonly class?: string } | null {
  const [, command, rest = ''] =
    /^##\[(group|endgroup|error|warning|notice|debug)\](.*)$/s.exec(text) ?? []
  if (command === undefined) return { text }
  if (command === 'endgroup') return null
  if (command === 'group') return { text: rest, class: 'ansi-bold' }
  if (command === 'error') return { text: rest, class: 'ansi-red' }
  return { text: rest, class: command === 'warning' ? 'ansi-yellow' : undefined }
}

/** The address of a line: the page shows the part of the log around it. */
export const lineHref = (job: string, n: number): string =>
  `${withQuery(job, { line: n })}#line-${n}`

/** `here` is the address of the job. */
export const LogLines = ({
  lines,
  label,
  id,
  here,
}: {
  lines: JobLog['lines']
  label: string
  id: string
  here: string
}) => (
  <pre class="check-log job-log" tabindex="0" role="group" aria-label={label} id={id}>
    {lines.map(({ n, text }) => {
      const shown = shownLine(text)
      if (shown === null) return null
      return (
        <span class={['job-log-line', shown.class]} id={`line-${n}`}>
          <a
            class="job-log-number"
            href={lineHref(here, n)}
            rel="nofollow"
            aria-label={t('Line {n}', { n })}
          >
            {n}
          </a>
          {ansiSpans(shown.text).map(({ text: part, classes }) =>
            classes.length === 0 ? part : <span class={classes}>{part}</span>,
          )}
          {'\n'}
        </span>
      )
    })}
  </pre>
)
