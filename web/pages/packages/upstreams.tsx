// The registries that a workspace reads through: which, how, and what is cached of them.
import {
  DEFAULT_UPSTREAM_URLS,
  deletePackageUpstream,
  emptyPackageUpstream,
  listPackageUpstreams,
  listUpstreamPackages,
  setPackageUpstream,
  typeName,
  TYPES_WITH_AGES,
  UPSTREAM_TYPES,
  upstreamSnippets,
  type Upstream,
  type UpstreamPackage,
  type UpstreamType,
} from '#features/packages/index.ts'
import {
  Breadcrumbs,
  Button,
  Card,
  Commands,
  EmptyState,
  Field,
  Form,
  FormActions,
  LinkButton,
  List,
  Notice,
  PageHead,
  Pagination,
  RelativeTime,
  Row,
  TextArea,
} from '../../components/index.ts'
import { bytesText } from '../../format.ts'
import type { Child } from '../../jsx/html.ts'
import { pageNumber } from '../../page-number.ts'
import { newTokenPath, withQuery, workspacePath } from '../../paths.ts'
import { action, page, redirectWithFlash, type Fields, type Visit } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { fieldError, formError } from '../shell.tsx'
import { WorkspaceFrame, type WorkspaceSummary } from '../workspaces/frame.tsx'
import { Snippets } from './package-parts.tsx'
import { workspaceSummary } from './workspace-summary.ts'

const PER_PAGE = 50
const GIB = 1024 ** 3
const FIELDS = [
  'url',
  'username',
  'secret',
  'reserved_prefixes',
  'min_age_days',
  'keep_days',
  'max_bytes',
]

const slugOf = (visit: Visit): string => visit.params.workspace ?? ''

const listPath = (slug: string): string => workspacePath(slug, 'packages/upstreams')
const pathOf = (slug: string, type: string): string => `${listPath(slug)}/${type}`

const hasAges = (type: UpstreamType): boolean => TYPES_WITH_AGES.includes(type)

const upstreamType = (visit: Visit): UpstreamType | null =>
  UPSTREAM_TYPES.find((type) => type === visit.params.type) ?? null

const UpstreamRowOf = ({ upstream, slug }: { upstream: Upstream; slug: string }) => (
  <Row
    title={<a href={pathOf(slug, upstream.package_type)}>{typeName(upstream.package_type)}</a>}
    meta={
      <>
        <span class="mono">{upstream.url}</span>
        <span>{tn('{count} file', '{count} files', upstream.file_count)}</span>
        <span>{bytesText(upstream.size_in_bytes)}</span>
        {upstream.last_error !== null && <span>{t('The last request failed')}</span>}
      </>
    }
  />
)

const AddLinks = ({ slug, types }: { slug: string; types: readonly UpstreamType[] }) => (
  <div class="actions">
    {types.map((type) => (
      <LinkButton href={pathOf(slug, type)}>{t('Add {type}', { type: typeName(type) })}</LinkButton>
    ))}
  </div>
)

const Frame = (props: {
  visit: Visit
  workspace: WorkspaceSummary
  title: string
  type: UpstreamType | null
  children: Child
}) => {
  const { visit, workspace, type } = props
  const upstreams = { label: t('Upstreams'), href: listPath(workspace.slug) }
  return (
    <WorkspaceFrame visit={visit} workspace={workspace} title={props.title} current="packages">
      <Breadcrumbs
        parts={[
          { label: t('Packages'), href: workspacePath(workspace.slug, 'packages') },
          ...(type === null ? [{ label: t('Upstreams') }] : [upstreams, { label: typeName(type) }]),
        ]}
      />
      {props.children}
    </WorkspaceFrame>
  )
}

export const upstreamsPage = page({
  path: '/:workspace/-/packages/upstreams',
  load: async (visit) => {
    const slug = slugOf(visit)
    const workspace = await workspaceSummary(visit, slug)
    if (workspace.role !== 'owner') return null
    return { workspace, ...(await visit.call(listPackageUpstreams, { workspace: slug })) }
  },
  view: ({ workspace, upstreams }, visit) => {
    const { slug } = workspace
    const used = new Set(upstreams.map(({ package_type }) => package_type))
    const free = UPSTREAM_TYPES.filter((type) => !used.has(type))
    return (
      <Frame visit={visit} workspace={workspace} title={t('Upstreams')} type={null}>
        <PageHead
          title={t('Upstreams')}
          lead={t(
            'Public registries that members install from by the address of the workspace. Files are cached. Names of the workspace never come from an upstream.',
          )}
        />
        {upstreams.length === 0 ? (
          <EmptyState icon="package" title={t('No upstreams')}>
            {t(
              'Clients get only packages of this workspace. Add a registry to install public packages by the same address.',
            )}
          </EmptyState>
        ) : (
          <List label={t('Upstreams')}>
            {upstreams.map((upstream) => (
              <UpstreamRowOf upstream={upstream} slug={slug} />
            ))}
          </List>
        )}
        {free.length > 0 && <AddLinks slug={slug} types={free} />}
      </Frame>
    )
  },
})

const gibText = (bytes: number): string => String(Math.round((bytes / GIB) * 100) / 100)

type FormProps = { visit: Visit; type: UpstreamType; upstream: Upstream | null }

const RegistryFields = ({ visit, type, upstream }: FormProps) => {
  const { values } = visit.form
  return (
    <>
      <Field
        name="url"
        label={t('Address of the registry')}
        type="url"
        mono
        required
        maxlength={500}
        value={values.optional('url') ?? upstream?.url ?? DEFAULT_UPSTREAM_URLS[type]}
        error={fieldError(visit, 'url')}
        hint={t('Saving another address empties the cache.')}
      />
      <Field
        name="username"
        label={t('Username')}
        autocomplete="off"
        maxlength={200}
        value={values.optional('username') ?? upstream?.username ?? ''}
        error={fieldError(visit, 'username')}
        hint={t('Empty when the secret is a token.')}
      />
      <Field
        name="secret"
        label={t('Token or password')}
        type="password"
        autocomplete="new-password"
        maxlength={8192}
        error={fieldError(visit, 'secret')}
        hint={
          upstream?.has_secret === true
            ? t('One is stored, encrypted. Leave this empty to keep it.')
            : t('Only for registries that ask for one. It is stored encrypted.')
        }
      />
    </>
  )
}

const NumberField = (props: {
  visit: Visit
  name: string
  label: string
  hint: string
  value: number | string
  min: number
}) => (
  <Field
    name={props.name}
    label={props.label}
    type="number"
    required
    min={props.min}
    value={props.visit.form.values.optional(props.name) ?? props.value}
    error={fieldError(props.visit, props.name)}
    hint={props.hint}
  />
)

const RuleFields = ({ visit, type, upstream, slug }: FormProps & { slug: string }) => {
  const prefixes = upstream?.reserved_prefixes ?? (type === 'npm' ? [`@${slug}/`] : [])
  return (
    <>
      <TextArea
        name="reserved_prefixes"
        label={t('Reserved names')}
        mono
        rows={3}
        value={
          visit.form.values.has('reserved_prefixes')
            ? visit.form.values.text('reserved_prefixes')
            : prefixes.join('\n')
        }
        error={fieldError(visit, 'reserved_prefixes')}
        hint={t(
          'The beginnings of your own names, one per line, such as @acme/ or com.acme. They are never requested from the registry, like all packages of the workspace.',
        )}
      />
      {hasAges(type) && (
        <NumberField
          visit={visit}
          name="min_age_days"
          label={t('Minimum age of versions in days')}
          hint={t(
            'Newer versions are hidden, because most malicious ones are found within days. 0 hides none.',
          )}
          value={upstream?.min_age_days ?? 0}
          min={0}
        />
      )}
      <NumberField
        visit={visit}
        name="keep_days"
        label={t('Days to keep unused files')}
        hint={t('Files that nobody downloaded for this long are removed from the cache.')}
        value={upstream?.keep_days ?? 90}
        min={1}
      />
      <NumberField
        visit={visit}
        name="max_gib"
        label={t('Size of the cache in GiB')}
        hint={t('Above this size, the least recently downloaded files are removed.')}
        value={upstream === null ? 10 : gibText(upstream.max_bytes)}
        min={0}
      />
    </>
  )
}

const UpstreamForm = (props: FormProps & { slug: string; here: string }) => {
  const { visit, upstream, here } = props
  return (
    <Card title={t('Registry')}>
      <Form
        action={here}
        csrf={visit.csrf}
        error={formError(visit, ...FIELDS)}
        label={t('Registry')}
      >
        <RegistryFields {...props} />
        <RuleFields {...props} />
        <FormActions>
          <Button variant="primary" name="do" value="save">
            {upstream === null ? t('Add upstream') : t('Save upstream')}
          </Button>
          {upstream !== null && upstream.file_count > 0 && (
            <Button name="do" value="empty" formnovalidate>
              {t('Empty cache')}
            </Button>
          )}
          {upstream !== null && (
            <Button variant="danger" name="do" value="delete" formnovalidate>
              {t('Delete upstream')}
            </Button>
          )}
        </FormActions>
      </Form>
    </Card>
  )
}

const ClientsCard = ({ slug, upstream }: { slug: string; upstream: Upstream }) => (
  <Card title={t('Use it')}>
    <p>
      {t('Address for clients:')} <code>{upstream.address}</code>
    </p>
    <p>
      {rich(
        'Create a <tokens>token</tokens> with the scope packages:read and set it for the lines below.',
        { tokens: (inner) => <a href={newTokenPath('packages', 'packages:read')}>{inner}</a> },
      )}
    </p>
    <Commands label={t('Copy the command')}>{'export HEARTH_TOKEN=<token>'}</Commands>
    <Snippets snippets={upstreamSnippets(slug, upstream)} />
  </Card>
)

const CachedList = ({ items }: { items: readonly UpstreamPackage[] }) =>
  items.length === 0 ? (
    <EmptyState icon="package" title={t('Nothing is cached yet')}>
      {t('Install something with the lines above. It is listed here.')}
    </EmptyState>
  ) : (
    <List label={t('Cached packages')}>
      {items.map((item) => (
        <Row
          title={<span class="mono">{item.name}</span>}
          meta={
            <>
              <span>{tn('{count} file', '{count} files', item.file_count)}</span>
              <span>{bytesText(item.size_in_bytes)}</span>
              <span>
                {t('Last used')} <RelativeTime at={item.last_used_at} />
              </span>
            </>
          }
        />
      ))}
    </List>
  )

export const upstreamPage = page({
  path: '/:workspace/-/packages/upstreams/:type',
  load: async (visit) => {
    const workspace = await workspaceSummary(visit, slugOf(visit))
    const type = upstreamType(visit)
    if (workspace.role !== 'owner' || type === null) return null
    const number = pageNumber(visit)
    const { upstreams } = await visit.call(listPackageUpstreams, { workspace: workspace.slug })
    const upstream = upstreams.find(({ package_type }) => package_type === type) ?? null
    const cached =
      upstream === null
        ? null
        : await visit.call(listUpstreamPackages, {
            workspace: workspace.slug,
            package_type: type,
            page: number,
            per_page: PER_PAGE,
          })
    return { workspace, type, upstream, cached, number }
  },
  view: ({ workspace, type, upstream, cached, number }, visit) => {
    const { slug } = workspace
    const here = pathOf(slug, type)
    const title = t('Upstream for {type}', { type: typeName(type) })
    return (
      <Frame visit={visit} workspace={workspace} title={title} type={type}>
        <PageHead
          title={title}
          lead={t(
            'Members of the workspace install public packages through it with a token. Others get only what the workspace publishes.',
          )}
        />
        {upstream !== null && upstream.last_error !== null && (
          <Notice kind="bad" title={t('The last request failed')}>
            {upstream.last_error}
          </Notice>
        )}
        {upstream !== null && <ClientsCard slug={slug} upstream={upstream} />}
        <UpstreamForm visit={visit} type={type} upstream={upstream} slug={slug} here={here} />
        {upstream !== null && cached !== null && (
          <>
            <h2>{t('Cached packages')}</h2>
            {upstream.file_count > 0 && (
              <p class="muted small">
                {t('{used} of {limit} used', {
                  used: bytesText(upstream.size_in_bytes),
                  limit: bytesText(upstream.max_bytes),
                })}
              </p>
            )}
            <CachedList items={cached.items} />
            <Pagination
              page={number}
              perPage={PER_PAGE}
              total={cached.total ?? 0}
              href={(at) => withQuery(here, { page: at > 1 ? at : undefined })}
            />
          </>
        )}
      </Frame>
    )
  },
})

const numberOf = (fields: Fields, name: string): number | undefined => {
  const text = fields.optional(name)
  return text === undefined ? undefined : Number(text)
}

function changeOf(fields: Fields) {
  const gib = numberOf(fields, 'max_gib')
  const secret = fields.text('secret')
  return {
    url: fields.optional('url'),
    username: fields.text('username').trim(),
    ...(secret !== '' && { secret }),
    reserved_prefixes: fields.list('reserved_prefixes'),
    min_age_days: numberOf(fields, 'min_age_days'),
    keep_days: numberOf(fields, 'keep_days'),
    max_bytes: gib === undefined ? undefined : Math.round(gib * GIB),
  }
}

export const upstreamForms = action({
  path: upstreamPage.path,
  page: upstreamPage,
  submit: async (visit, fields) => {
    const workspace = slugOf(visit)
    const package_type = upstreamType(visit) ?? 'npm'
    const target = { workspace, package_type }
    const chosen = fields.text('do')
    if (chosen === 'delete') {
      await visit.call(deletePackageUpstream, target)
      return redirectWithFlash(visit, listPath(workspace), 'upstream-deleted')
    }
    if (chosen === 'empty') await visit.call(emptyPackageUpstream, target)
    else await visit.call(setPackageUpstream, { ...target, ...changeOf(fields) })
    const here = pathOf(workspace, package_type)
    return redirectWithFlash(visit, here, chosen === 'empty' ? 'upstream-emptied' : 'saved')
  },
})
