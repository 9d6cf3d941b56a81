// Lines of a log with their numbers, each with an address. Escape sequences become colours.
import type { JobLog } from '#features/workflows/index.ts'
import { ansiSpans } from './ansi.ts'
import { t } from '../../text.ts'

export const LogLines = ({
  lines,
  label,
  id,
}: {
  lines: JobLog['lines']
  label: string
  id: string
}) => (
  <pre class="check-log job-log" tabindex="0" aria-label={label} id={id}>
    {lines.map(({ n, text }) => (
      <span class="job-log-line" id={`line-${n}`}>
        <a class="job-log-number" href={`#line-${n}`} aria-label={t('Line {n}', { n })}>
          {n}
        </a>
        {ansiSpans(text).map(({ text: part, classes }) =>
          classes.length === 0 ? part : <span class={classes}>{part}</span>,
        )}
        {'\n'}
      </span>
    ))}
  </pre>
)
