import { listAllWorkspaces, setQuota, type SiteWorkspace } from '#features/site/index.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { EmptyState } from '../../components/card.tsx'
import { Field, Form, FormActions } from '../../components/form.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Badge } from '../../components/state.tsx'
import { FilterBar } from '../../components/tabs.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { bytesText, formatNumber } from '../../format.ts'
import { pageNumber } from '../../page-number.ts'
import { workspacePath, withQuery } from '../../paths.ts'
import { invalid } from '#lib/errors.ts'
import { action, redirectWithFlash, page, type Visit } from '../../site.ts'
import { AdminFrame } from './frame.tsx'
import { rich, t, tn } from '../../text.ts'

const PATH = '/admin/workspaces'
const SIZE = 30
/** Sizes are in mebibytes on this page. */
const MIB = 1024 ** 2

const ofLimit = (used: string, limit: string | null): string =>
  limit === null ? used : t('{used} of {limit}', { used, limit })

type Limited = SiteWorkspace['usage']['members']
const isFull = ({ used, limit }: Limited): boolean => limit !== null && used >= limit

const exhaustedQuotas = ({
  repos_bytes,
  artifacts_bytes,
  actions_bytes,
  repositories,
  members,
}: SiteWorkspace['usage']): string[] => [
  ...(isFull(repositories) ? [t('repositories')] : []),
  ...(isFull(repos_bytes) ? [t('git objects')] : []),
  ...(isFull(artifacts_bytes) ? [t('files of releases and artifacts')] : []),
  ...(isFull(actions_bytes) ? [t('artifacts, caches and logs of runs')] : []),
  ...(isFull(members) ? [t('members')] : []),
]

type RowProps = { workspace: SiteWorkspace; visit: Visit }

const WorkspaceUsage = ({ workspace: { created_at, usage } }: Pick<RowProps, 'workspace'>) => {
  const { repos_bytes, artifacts_bytes, actions_bytes, repositories, members } = usage
  const exhausted = exhaustedQuotas(usage)
  const count = (limit: number | null) => (limit === null ? null : formatNumber(limit))
  const bytes = (limit: number | null) => (limit === null ? null : bytesText(limit))
  return (
    <>
      {exhausted.length > 0 && (
        <Badge tone="wait">
          {rich('no room for more {exhausted}', { exhausted: exhausted.join(', ') })}
        </Badge>
      )}
      <span>
        {ofLimit(
          tn('{count} repository', '{count} repositories', repositories.used),
          count(repositories.limit),
        )}
      </span>
      <span>{ofLimit(bytesText(repos_bytes.used), bytes(repos_bytes.limit))}</span>
      {(artifacts_bytes.used > 0 || artifacts_bytes.limit !== null) && (
        <span>
          {ofLimit(
            t('{bytes} of releases and artifacts', { bytes: bytesText(artifacts_bytes.used) }),
            bytes(artifacts_bytes.limit),
          )}
        </span>
      )}
      {(actions_bytes.used > 0 || actions_bytes.limit !== null) && (
        <span>
          {ofLimit(
            t('{bytes} of runs', { bytes: bytesText(actions_bytes.used) }),
            bytes(actions_bytes.limit),
          )}
        </span>
      )}
      <span>
        {ofLimit(tn('{count} member', '{count} members', members.used), count(members.limit))}
      </span>
      <span>{rich('Created {time}', { time: <RelativeTime at={created_at} /> })}</span>
    </>
  )
}

/** A limit in mebibytes; an empty field is no limit. */
const inMebibytes = (bytes: number | null) => (bytes === null ? null : Math.floor(bytes / MIB))

const QuotaForm = ({ workspace: { slug, usage }, visit }: RowProps) => {
  const { repos_bytes, artifacts_bytes, actions_bytes, repositories, members } = usage
  const refused = visit.form.values.text('workspace') === slug ? visit.form : null
  const error = refused?.error ?? null
  const number = (field: string, label: string, value: number | null, hint?: string) => (
    <Field
      id={`${field}-${slug}`}
      name={field}
      label={label}
      type="number"
      min={0}
      value={refused ? refused.values.text(field) : value}
      hint={hint}
      error={error?.field === field ? error.message : undefined}
    />
  )
  return (
    <details class="more" open={refused !== null}>
      <summary>{t('Quotas')}</summary>
      <Form
        action={`${PATH}/quota`}
        csrf={visit.csrf}
        label={t('Quotas of {slug}', { slug })}
        error={error?.field === null ? error.message : null}
      >
        <input type="hidden" name="workspace" value={slug} />
        {number(
          'repositories',
          t('Repositories'),
          repositories.limit,
          t('Empty is without limit. What is there already stays.'),
        )}
        {number('repos_mib', t('Git objects, in MiB'), inMebibytes(repos_bytes.limit))}
        {number(
          'artifacts_mib',
          t('Files of releases, in MiB'),
          inMebibytes(artifacts_bytes.limit),
        )}
        {number(
          'actions_mib',
          t('Artifacts, caches and logs of runs, in MiB'),
          inMebibytes(actions_bytes.limit),
        )}
        {number('members', t('Members'), members.limit)}
        <FormActions>
          <Button>{t('Save')}</Button>
        </FormActions>
      </Form>
    </details>
  )
}

const WorkspaceRow = ({ workspace, visit }: RowProps) => {
  const { slug, name } = workspace
  return (
    <Row
      mark={<Avatar of={{ username: slug, name, kind: 'workspace' }} size={24} />}
      title={
        <>
          <a class="strong" href={workspacePath(slug)}>
            {slug}
          </a>{' '}
          {name !== slug && <span class="muted">{name}</span>}
        </>
      }
      meta={<WorkspaceUsage workspace={workspace} />}
    >
      <QuotaForm workspace={workspace} visit={visit} />
    </Row>
  )
}

export const siteWorkspacesPage = page({
  path: PATH,
  load: async (visit) => {
    const q = (visit.url.searchParams.get('q') ?? '').trim().slice(0, 200)
    const number = pageNumber(visit)
    const { items, total } = await visit.call(listAllWorkspaces, {
      ...(q === '' ? {} : { q }),
      page: number,
      per_page: SIZE,
    })
    return { items, total: total ?? items.length, q, number }
  },
  view: ({ items, total, q, number }, visit) => (
    <AdminFrame
      visit={visit}
      title={t('Workspaces')}
      lead={t('Storage and quotas of each workspace.')}
    >
      <FilterBar label={t('Workspaces')} filters={[]}>
        <Form action={PATH} method="get" inline label={t('Find a workspace')}>
          <Field
            name="q"
            label={t('Slug or name')}
            hideLabel
            type="search"
            placeholder={t('Slug or name')}
            value={q}
          />
          <Button>{t('Find')}</Button>
        </Form>
      </FilterBar>
      {items.length === 0 ? (
        <EmptyState icon="workspace" title={t('No workspaces match')} />
      ) : (
        <List label={t('Workspaces')}>
          {items.map((workspace) => (
            <WorkspaceRow workspace={workspace} visit={visit} />
          ))}
        </List>
      )}
      <Pagination
        page={number}
        perPage={SIZE}
        total={total}
        href={(to) => withQuery(PATH, { q: q || undefined, page: to })}
      />
    </AdminFrame>
  ),
})

export const quotaForm = action({
  path: `${PATH}/quota`,
  page: siteWorkspacesPage,
  submit: async (visit, fields) => {
    const number = (field: string): number | null => {
      const text = fields.text(field).trim()
      if (text !== '' && !/^\d{1,12}$/.test(text))
        throw invalid(field, t('Enter a whole number, or nothing.'))
      return text === '' ? null : Number(text)
    }
    const mebibytes = (field: string): number | null => {
      const mib = number(field)
      return mib === null ? null : mib * MIB
    }
    await visit.call(setQuota, {
      workspace: fields.text('workspace'),
      repositories: number('repositories'),
      members: number('members'),
      repos_bytes: mebibytes('repos_mib'),
      artifacts_bytes: mebibytes('artifacts_mib'),
      actions_bytes: mebibytes('actions_mib'),
    })
    return redirectWithFlash(visit, PATH, 'saved')
  },
})
