// Searches the log of a job. The page of the job shows the lines that match.
import { getJobLog, type JobLog } from '#features/workflows/index.ts'
import { Refusal } from '#lib/errors.ts'
import { Button, Card, Field, Form } from '../../components/index.ts'
import { withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'
import { LogLines } from './log-lines.tsx'

const MAX_EXPRESSION_CHARS = 200

export type LogMatches = {
  readonly expression: string
  readonly log: JobLog | null
  /** What is wrong with the expression. */
  readonly fault: string | null
}

/** Null when the address searches for nothing. */
export async function findInLog(
  visit: Visit,
  target: { readonly repo: string; readonly id: string },
): Promise<LogMatches | null> {
  const { searchParams } = visit.url
  const expression = (searchParams.get('grep') ?? '').slice(0, MAX_EXPRESSION_CHARS)
  if (expression === '') return null
  const after = Number(/^\d{1,9}$/.exec(searchParams.get('after') ?? '')?.[0] ?? 0)
  try {
    const log = await visit.call(getJobLog, { ...target, grep: expression, after })
    return { expression, log, fault: null }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid') throw error
    return { expression, log: null, fault: error.message }
  }
}

export const LogSearchForm = ({ here, search }: { here: string; search: LogMatches | null }) => (
  <Form action={here} method="get" inline label={t('Search the log')}>
    <Field
      id="grep"
      name="grep"
      label={t('Text or RE2 expression')}
      mono
      maxlength={MAX_EXPRESSION_CHARS}
      autocomplete="off"
      value={search?.expression ?? ''}
      error={search?.fault ?? null}
    />
    <Button icon="search">{t('Search the log')}</Button>
  </Form>
)

export const MatchingLines = ({ here, search }: { here: string; search: LogMatches }) => {
  const { expression, log } = search
  const lines = log?.lines ?? []
  const next = log?.next ?? null
  return (
    <Card title={t('Lines that match')}>
      {log !== null && lines.length === 0 && (
        <p class="muted">
          {next === null ? t('No line matches.') : t('No line of this part matches.')}
        </p>
      )}
      {lines.length > 0 && (
        <LogLines lines={lines} label={t('Lines that match')} id="log-matches" here={here} />
      )}
      <p class="row-meta">
        {next !== null && (
          <a href={withQuery(here, { grep: expression, after: next })}>{t('Search on')}</a>
        )}
        <a href={here}>{t('Clear search')}</a>
      </p>
    </Card>
  )
}
