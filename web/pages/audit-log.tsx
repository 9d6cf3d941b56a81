// The audit log, of a workspace or of the whole site: filters, entries, and a download.
import type { AuditEntry } from '#features/audit/index.ts'
import { Button, LinkButton } from '../components/button.tsx'
import { EmptyState } from '../components/card.tsx'
import { Field, Form, FormActions } from '../components/form.tsx'
import { Icon, type IconName } from '../components/icon.tsx'
import { Pager } from '../components/pagination.tsx'
import { List, Row } from '../components/rows.tsx'
import { ActorLink } from '../components/avatar.tsx'
import { RelativeTime } from '../components/time.tsx'
import { withQuery } from '../paths.ts'
import type { Resource, Visit } from '../site.ts'
import { rich, t } from '../text.ts'
import { isWholeRow, RowText } from './row-form.tsx'

const ICONS: readonly [prefix: string, icon: IconName][] = [
  ['token.', 'key'],
  ['agent', 'agent'],
  ['repo.', 'repo'],
  ['workspace.', 'workspace'],
  ['team.', 'users'],
  ['invit', 'mail'],
  ['collaborator', 'user'],
  ['user.', 'user'],
  ['sign_in', 'user'],
  ['two_factor', 'shield'],
  ['oauth', 'link'],
]

const iconOf = (action: string): IconName =>
  ICONS.find(([prefix]) => action.startsWith(prefix))?.[1] ?? 'shield'

/** The filters in the address of the page, with the names that the operations give them. */
const FILTERS = ['actor', 'action', 'repo', 'since'] as const
export type AuditFilters = Partial<Record<(typeof FILTERS)[number], string>>

/** Days, as users type them, as the timestamps that the log requires. */
const momentOf = (day: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(day) ? `${day}T00:00:00Z` : day

export function filtersOf(visit: Visit): AuditFilters {
  const filters: AuditFilters = {}
  for (const name of FILTERS) {
    const value = visit.url.searchParams.get(name)?.trim()
    if (value) filters[name] = value
  }
  return filters
}

/** The filters as an operation's input. */
export const asInput = ({ since, ...filters }: AuditFilters): AuditFilters => ({
  ...filters,
  ...(since === undefined ? {} : { since: momentOf(since) }),
})

/** With a change each, they are a page of less than 100 KB. */
export const ENTRIES_PER_PAGE = 40

/** What an entry shows of what changed, unless the address names it. */
const MAX_CHANGE_BYTES = 500

type EntryProps = {
  readonly visit: Visit
  readonly entry: AuditEntry
  readonly withPlace: boolean
  /** The address of the page of the log. */
  readonly here: string
}

const Change = ({ visit, entry: { id, data }, here }: EntryProps) => (
  <details class="row-more" open={isWholeRow(visit, id)}>
    <summary>{t('What changed')}</summary>
    <pre class="mono small">
      <RowText
        visit={visit}
        id={id}
        here={here}
        text={JSON.stringify(data, null, 2)}
        maxBytes={MAX_CHANGE_BYTES}
      />
    </pre>
  </details>
)

const Entry = (props: EntryProps) => {
  const { entry, withPlace } = props
  const where = entry.repository ?? (withPlace ? entry.workspace : null)
  return (
    <Row
      id={entry.id}
      mark={<Icon name={iconOf(entry.action)} />}
      title={
        <>
          <code>{entry.action}</code> <span>{entry.target.name}</span>
        </>
      }
      meta={
        <>
          <span>
            <ActorLink of={entry.actor} /> <RelativeTime at={entry.time} />
          </span>
          {entry.on_behalf_of && (
            <span>{rich('for {username}', { username: entry.on_behalf_of.username })}</span>
          )}
          {where && where !== entry.target.name && <span>{where}</span>}
          {entry.ip && <span>{rich('from {ip}', { ip: entry.ip })}</span>}
          <span>
            {entry.token_id === null
              ? entry.actor === null
                ? t('by the service')
                : t('on the website')
              : rich('with {token_id}', { token_id: <code>{entry.token_id}</code> })}
          </span>
        </>
      }
    >
      {Object.keys(entry.data).length > 0 && <Change {...props} />}
    </Row>
  )
}

type Log = {
  visit: Visit
  here: string
  entries: readonly AuditEntry[]
  next: string | null
  filters: AuditFilters
  before: string | null
  site: boolean
}

const LogFilters = ({ here, filters, site }: Pick<Log, 'here' | 'filters' | 'site'>) => (
  <Form action={here} method="get" label={t('Filter the log')} inline>
    <Field
      name="actor"
      label={t('Actor')}
      hideLabel
      placeholder={t('Actor')}
      value={filters.actor ?? ''}
    />
    <Field
      name="action"
      label={t('Action')}
      hideLabel
      placeholder={t('Action, such as token.')}
      value={filters.action ?? ''}
    />
    {!site && (
      <Field
        name="repo"
        label={t('Repository')}
        hideLabel
        placeholder={t('workspace/repository')}
        value={filters.repo ?? ''}
      />
    )}
    <Field
      name="since"
      label={t('Since')}
      hideLabel
      placeholder={t('Since, as 2026-01-31')}
      value={filters.since ?? ''}
    />
    <FormActions>
      <Button icon="filter">{t('Filter')}</Button>
      <LinkButton href={withQuery(`${here}/download`, filters)} icon="download">
        {t('Download')}
      </LinkButton>
    </FormActions>
  </Form>
)

export const AuditLog = ({ visit, here, entries, next, filters, before, site }: Log) => (
  <>
    <LogFilters here={here} filters={filters} site={site} />
    {entries.length === 0 ? (
      <EmptyState icon="shield" title={t('No entries')}>
        {t(
          'Changes of access, settings, tokens and secrets appear here as they happen, and stay as they were written.',
        )}
      </EmptyState>
    ) : (
      <List label={t('Entries')}>
        {entries.map((entry) => (
          <Entry
            visit={visit}
            entry={entry}
            withPlace={site}
            here={withQuery(here, { ...filters, before: before ?? undefined })}
          />
        ))}
      </List>
    )}
    <Pager
      newer={before ? withQuery(here, filters) : null}
      older={next === null ? null : withQuery(here, { ...filters, before: next })}
      label={t('Entries')}
    />
  </>
)

type Ask = (
  visit: Visit,
  input: AuditFilters & { before?: string; per_page: number },
) => Promise<{ items: AuditEntry[]; next: string | null }>

/** The log as a file with one JSON object per line, loaded page by page while it is sent. */
export const auditDownload = (path: string, ask: Ask): Resource => ({
  path,
  async respond(visit) {
    const input = { ...asInput(filtersOf(visit)), per_page: 100 }
    // Load the first page before the response starts, so that a refusal is an error page.
    let page: { items: AuditEntry[]; next: string | null } | null = await ask(visit, input)
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { items, next } = page ?? { items: [], next: null }
        if (items.length > 0)
          controller.enqueue(
            encoder.encode(items.map((entry) => `${JSON.stringify(entry)}\n`).join('')),
          )
        if (next === null) return controller.close()
        page = await ask(visit, { ...input, before: next })
      },
    })
    return new Response(body, {
      headers: {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': 'attachment; filename="audit-log.jsonl"',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    })
  },
})
