import { listAllWorkspaces, setQuota, type SiteWorkspace } from '#features/site/index.ts'
import type { QuotaResource } from '#features/workspaces/index.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { EmptyState } from '../../components/card.tsx'
import { Field, Form, FormActions } from '../../components/form.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Badge } from '../../components/state.tsx'
import { FilterBar } from '../../components/tabs.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { bytesText, formatNumber } from '../../format.ts'
import { workspacePath, withQuery } from '../../paths.ts'
import { invalid } from '#lib/errors.ts'
import { action, redirectWithFlash, page, type Visit } from '../../site.ts'
import { loadPage, onSamePage, RowForm } from '../row-form.tsx'
import { AdminFrame } from './frame.tsx'
import { rich, t, tn } from '../../text.ts'

const PATH = '/admin/workspaces'
const SIZE = 30
/** Sizes are in mebibytes on this page. */
const MIB = 1024 ** 2

type Usage = SiteWorkspace['usage']
type Limited = Usage['members']
const isFull = ({ used, limit }: Limited): boolean => limit !== null && used >= limit

/** A resource with a quota, in words. */
type Resource = {
  readonly name: QuotaResource
  /** Its field in the form. Bytes are given in mebibytes. */
  readonly field: string
  readonly label: () => string
  /** What there is no room for more of. */
  readonly what: () => string
  readonly used: (used: number) => string
  /** Shown where there is none, too. */
  readonly isBasic?: true
}

const RESOURCES: readonly Resource[] = [
  {
    name: 'repositories',
    field: 'repositories',
    label: () => t('Repositories'),
    what: () => t('repositories'),
    used: (used) => tn('{count} repository', '{count} repositories', used),
    isBasic: true,
  },
  {
    name: 'repos_bytes',
    field: 'repos_mib',
    label: () => t('Git objects, in MiB'),
    what: () => t('git objects'),
    used: (used) => bytesText(used),
    isBasic: true,
  },
  {
    name: 'lfs_bytes',
    field: 'lfs_mib',
    label: () => t('Large files, in MiB'),
    what: () => t('large files'),
    used: (used) => t('{bytes} of large files', { bytes: bytesText(used) }),
  },
  {
    name: 'packages_bytes',
    field: 'packages_mib',
    label: () => t('Packages, in MiB'),
    what: () => t('packages'),
    used: (used) => t('{bytes} of packages', { bytes: bytesText(used) }),
  },
  {
    name: 'artifacts_bytes',
    field: 'artifacts_mib',
    label: () => t('Files of releases, in MiB'),
    what: () => t('files of releases and artifacts'),
    used: (used) => t('{bytes} of releases and artifacts', { bytes: bytesText(used) }),
  },
  {
    name: 'actions_bytes',
    field: 'actions_mib',
    label: () => t('Artifacts, caches and logs of runs, in MiB'),
    what: () => t('artifacts, caches and logs of runs'),
    used: (used) => t('{bytes} of runs', { bytes: bytesText(used) }),
  },
  {
    name: 'run_minutes',
    field: 'run_minutes',
    label: () => t('Minutes of runs in a month'),
    what: () => t('minutes of runs this month'),
    used: (used) =>
      tn('{count} minute of runs this month', '{count} minutes of runs this month', used),
  },
  {
    name: 'members',
    field: 'members',
    label: () => t('Members'),
    what: () => t('members'),
    used: (used) => tn('{count} member', '{count} members', used),
    isBasic: true,
  },
]

/** An address that stays on the page of the list, and on what was searched for. */
const herePath = (visit: Visit, path: string): string =>
  onSamePage(visit, withQuery(path, { q: visit.url.searchParams.get('q') || undefined }), 'page')

const isBytes = ({ name }: Resource): boolean => name.endsWith('_bytes')

const usageOf = (usage: Usage, { name }: Resource): Limited =>
  usage[name === 'run_minutes' ? 'run_minutes_this_month' : name]

type RowProps = { workspace: SiteWorkspace; visit: Visit }

const UsedOf = ({ resource, usage }: { resource: Resource; usage: Limited }) => {
  const { used, limit } = usage
  if (used === 0 && limit === null && !resource.isBasic) return null
  const most = limit !== null && (isBytes(resource) ? bytesText(limit) : formatNumber(limit))
  const text = resource.used(used)
  return <span>{most === false ? text : t('{used} of {limit}', { used: text, limit: most })}</span>
}

const WorkspaceUsage = ({ workspace: { created_at, usage } }: Pick<RowProps, 'workspace'>) => {
  const full = RESOURCES.filter((resource) => isFull(usageOf(usage, resource)))
  return (
    <>
      {full.length > 0 && (
        <Badge tone="wait">
          {rich('no room for more {exhausted}', {
            exhausted: full.map(({ what }) => what()).join(', '),
          })}
        </Badge>
      )}
      {RESOURCES.map((resource) => (
        <UsedOf resource={resource} usage={usageOf(usage, resource)} />
      ))}
      <span>{rich('Created {time}', { time: <RelativeTime at={created_at} /> })}</span>
    </>
  )
}

/** A limit as the form has it. An empty field is no limit. */
const fieldValue = (resource: Resource, limit: number | null): number | null =>
  limit === null || !isBytes(resource) ? limit : Math.floor(limit / MIB)

const QuotaForm = ({ workspace: { slug, usage }, visit }: RowProps) => {
  const refused = visit.form.values.text('workspace') === slug ? visit.form : null
  const error = refused?.error ?? null
  return (
    <Form
      action={herePath(visit, `${PATH}/quota`)}
      csrf={visit.csrf}
      label={t('Quotas of {slug}', { slug })}
      error={error?.field === null ? error.message : null}
    >
      <input type="hidden" name="workspace" value={slug} />
      {RESOURCES.map((resource, index) => (
        <Field
          id={`${resource.field}-${slug}`}
          name={resource.field}
          label={resource.label()}
          type="number"
          min={0}
          value={
            refused
              ? refused.values.text(resource.field)
              : fieldValue(resource, usageOf(usage, resource).limit)
          }
          hint={index === 0 ? t('Empty is without limit. What is there already stays.') : undefined}
          error={error?.field === resource.field ? error.message : undefined}
        />
      ))}
      <FormActions>
        <Button>{t('Save')}</Button>
      </FormActions>
    </Form>
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
      <RowForm
        visit={visit}
        id={workspace.id}
        refused={visit.form.values.text('workspace') === slug ? workspace.id : null}
        here={herePath(visit, PATH)}
        label={rich('Quotas of {slug}', { slug })}
      >
        {() => <QuotaForm workspace={workspace} visit={visit} />}
      </RowForm>
    </Row>
  )
}

export const siteWorkspacesPage = page({
  path: PATH,
  load: async (visit) => {
    const q = (visit.url.searchParams.get('q') ?? '').trim().slice(0, 200)
    const list = await loadPage(visit, (page) =>
      visit.call(listAllWorkspaces, { ...(q === '' ? {} : { q }), page, per_page: SIZE }),
    )
    return { list, q }
  },
  view: ({ list: { items, total, page: number }, q }, visit) => (
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
        <EmptyState
          icon="workspace"
          title={t('No workspaces match')}
          actions={<LinkButton href={PATH}>{t('Clear filters')}</LinkButton>}
        />
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
        total={total ?? items.length}
        href={(to) => withQuery(PATH, { q: q || undefined, page: to })}
      />
    </AdminFrame>
  ),
})

export const quotaForm = action({
  path: `${PATH}/quota`,
  page: siteWorkspacesPage,
  submit: async (visit, fields) => {
    const limitOf = (resource: Resource): number | null => {
      const text = fields.text(resource.field).trim()
      if (text !== '' && !/^\d{1,12}$/.test(text))
        throw invalid(resource.field, t('Enter a whole number, or nothing.'))
      return text === '' ? null : Number(text) * (isBytes(resource) ? MIB : 1)
    }
    await visit.call(setQuota, {
      workspace: fields.text('workspace'),
      ...Object.fromEntries(RESOURCES.map((resource) => [resource.name, limitOf(resource)])),
    })
    return redirectWithFlash(visit, herePath(visit, PATH), 'saved')
  },
})
