// Which old versions a daily job deletes, for one package or for all of a workspace, with a preview.
import {
  getPackageRetention,
  getWorkspaceRetention,
  previewPackageRetention,
  previewWorkspaceRetention,
  removePackageRetention,
  removeWorkspaceRetention,
  setPackageRetention,
  setWorkspaceRetention,
  typeName,
  type Retention,
  type RetentionPreview,
} from '#features/packages/index.ts'
import {
  Breadcrumbs,
  Button,
  Card,
  Checkbox,
  EmptyState,
  Field,
  Form,
  FormActions,
  List,
  Notice,
  PageHead,
  RelativeTime,
  Row,
} from '../../components/index.ts'
import { bytesText } from '../../format.ts'
import { withQuery, workspacePath } from '../../paths.ts'
import {
  action,
  page,
  redirect,
  redirectWithFlash,
  type Fields,
  type Page,
  type Visit,
} from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { fieldError, formError } from '../shell.tsx'
import { WorkspaceFrame } from '../workspaces/frame.tsx'
import { loadAsAdmin, PackageFrame, pathOf, targetOf } from './package-frame.tsx'
import { packagePath } from './package-parts.tsx'
import { workspaceSummary } from './workspace-summary.ts'

type RuleValues = {
  keep_newest: number
  keep_matching: string | null
  older_than_days: number
  untagged_only: boolean
  snapshots_kept: number
}

const FIRST_RULE: RuleValues = {
  keep_newest: 10,
  keep_matching: null,
  older_than_days: 30,
  untagged_only: false,
  snapshots_kept: 20,
}

const PREVIEW = 'keep_newest'

/** The rule in the address of a preview; null without one. */
function ruleInAddress({ searchParams }: URL): RuleValues | null {
  if (!searchParams.has(PREVIEW)) return null
  const number = (name: string) => Number(searchParams.get(name) ?? '')
  return {
    keep_newest: number('keep_newest'),
    keep_matching: searchParams.get('keep_matching') ?? '',
    older_than_days: number('older_than_days'),
    untagged_only: searchParams.get('untagged_only') === '1',
    snapshots_kept: number('snapshots_kept'),
  }
}

const ruleOf = (fields: Fields): RuleValues => ({
  keep_newest: Number(fields.text('keep_newest')),
  keep_matching: fields.text('keep_matching'),
  older_than_days: Number(fields.text('older_than_days')),
  untagged_only: fields.ticked('untagged_only'),
  snapshots_kept: Number(fields.text('snapshots_kept')),
})

const previewAddress = (here: string, rule: RuleValues): string =>
  withQuery(here, {
    keep_newest: rule.keep_newest,
    keep_matching: rule.keep_matching || undefined,
    older_than_days: rule.older_than_days,
    untagged_only: rule.untagged_only ? '1' : undefined,
    snapshots_kept: rule.snapshots_kept,
  })

const NumberField = (props: {
  visit: Visit
  name: string
  label: string
  hint: string
  value: number
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

const RuleFields = ({ visit, rule }: { visit: Visit; rule: RuleValues }) => (
  <>
    <NumberField
      visit={visit}
      name="keep_newest"
      label={t('Newest versions to keep')}
      hint={t('Of each package, by the time of the last upload.')}
      value={rule.keep_newest}
      min={1}
    />
    <NumberField
      visit={visit}
      name="older_than_days"
      label={t('Days to keep every version')}
      hint={t('Younger versions are kept, however many there are.')}
      value={rule.older_than_days}
      min={0}
    />
    <Field
      name="keep_matching"
      label={t('Versions and tags to keep always')}
      mono
      maxlength={200}
      value={visit.form.values.optional('keep_matching') ?? rule.keep_matching ?? ''}
      error={fieldError(visit, 'keep_matching')}
      hint={t('Patterns with spaces between them, such as v* release-*.')}
    />
    <NumberField
      visit={visit}
      name="snapshots_kept"
      label={t('Builds to keep of each Maven snapshot')}
      hint={t('Files of older builds are deleted for good.')}
      value={rule.snapshots_kept}
      min={1}
    />
    <Checkbox
      name="untagged_only"
      label={t('Keep every version with a tag')}
      checked={rule.untagged_only}
      hint={t('For images: only digests that no tag names are deleted.')}
    />
  </>
)

const RuleForm = (props: { visit: Visit; here: string; rule: RuleValues; isSaved: boolean }) => {
  const { visit, here, rule, isSaved } = props
  return (
    <Card title={t('Retention rule')}>
      <Form
        action={here}
        csrf={visit.csrf}
        error={formError(
          visit,
          'keep_newest',
          'older_than_days',
          'keep_matching',
          'snapshots_kept',
        )}
        label={t('Retention rule')}
      >
        <RuleFields visit={visit} rule={rule} />
        <FormActions>
          <Button variant="primary" name="do" value="save">
            {t('Save rule')}
          </Button>
          <Button name="do" value="preview">
            {t('Preview rule')}
          </Button>
          {isSaved && (
            <Button variant="danger" name="do" value="remove" formnovalidate>
              {t('Remove rule')}
            </Button>
          )}
        </FormActions>
      </Form>
    </Card>
  )
}

const PreviewList = ({ workspace, found }: { workspace: string; found: RetentionPreview }) => (
  <>
    <h2>{t('What this rule deletes now')}</h2>
    {found.version_count === 0 && found.snapshot_file_count === 0 ? (
      <EmptyState icon="package" title={t('Nothing')}>
        {t('Every version is kept. Lower the numbers to see what would go.')}
      </EmptyState>
    ) : (
      <p>
        {tn('{count} version', '{count} versions', found.version_count)}
        {found.snapshot_file_count > 0 && (
          <>
            {', '}
            {tn(
              '{count} file of old snapshots',
              '{count} files of old snapshots',
              found.snapshot_file_count,
            )}
          </>
        )}
        {', '}
        {bytesText(found.size_in_bytes)}
      </p>
    )}
    {found.versions.length > 0 && (
      <List label={t('What this rule deletes now')}>
        {found.versions.map((version) => {
          const { package_name: name, package_type } = version
          const at = packagePath({ workspace, package_type, name })
          return (
            <Row
              title={
                <a href={withQuery(at, { version: version.version })}>
                  {name} <span class="mono">{version.version}</span>
                </a>
              }
              meta={
                <>
                  <span>{typeName(package_type)}</span>
                  <span>{bytesText(version.size_in_bytes)}</span>
                  <RelativeTime at={version.created_at} />
                </>
              }
            />
          )
        })}
      </List>
    )}
  </>
)

type Loaded = { retention: Retention; tried: RuleValues | null; found: RetentionPreview | null }

const RetentionParts = (props: { visit: Visit; here: string; workspace: string } & Loaded) => {
  const { retention, tried, found } = props
  const { rule, inherited } = retention
  return (
    <>
      <p>
        {t(
          'Without a rule nothing is deleted. With one, a version goes when no part of the rule keeps it; for 30 days it can be restored. The latest version always stays.',
        )}
      </p>
      {rule === null && inherited !== null && (
        <Notice kind="info">
          {rich('The <rule>rule of the workspace</rule> holds until you save one here.', {
            rule: (inner) => (
              <a href={workspacePath(props.workspace, 'packages/retention')}>{inner}</a>
            ),
          })}
        </Notice>
      )}
      <RuleForm
        visit={props.visit}
        here={props.here}
        rule={tried ?? rule ?? inherited ?? FIRST_RULE}
        isSaved={rule !== null}
      />
      {found !== null && <PreviewList workspace={props.workspace} found={found} />}
    </>
  )
}

const slugOf = (visit: Visit): string => visit.params.workspace ?? ''

const workspaceHere = (visit: Visit): string => workspacePath(slugOf(visit), 'packages/retention')

const packageHere = (visit: Visit): string => pathOf(visit, '/retention')

export const packageRetentionPage = page({
  path: '/:workspace/-/packages/:type/:name/retention',
  load: async (visit) => {
    const loaded = await loadAsAdmin(visit)
    if (loaded === null || loaded.item.deleted_at !== null) return null
    const retention = await visit.call(getPackageRetention, targetOf(visit))
    const tried = ruleInAddress(visit.url)
    const isKnown = tried !== null || retention.rule !== null || retention.inherited !== null
    const found = isKnown
      ? await visit.tryCall(previewPackageRetention, { ...targetOf(visit), ...tried })
      : null
    return { ...loaded, retention, tried, found }
  },
  view: ({ item, workspace, ...loaded }, visit) => (
    <PackageFrame visit={visit} workspace={workspace} item={item} current="retention">
      <RetentionParts
        visit={visit}
        here={packageHere(visit)}
        workspace={item.workspace}
        {...loaded}
      />
    </PackageFrame>
  ),
})

export const workspaceRetentionPage = page({
  path: '/:workspace/-/packages/retention',
  load: async (visit) => {
    const slug = slugOf(visit)
    const workspace = await workspaceSummary(visit, slug)
    if (workspace.role !== 'owner') return null
    const retention = await visit.call(getWorkspaceRetention, { workspace: slug })
    const tried = ruleInAddress(visit.url)
    const found =
      tried !== null || retention.rule !== null
        ? await visit.tryCall(previewWorkspaceRetention, { workspace: slug, ...tried })
        : null
    return { workspace, retention, tried, found }
  },
  view: ({ workspace, ...loaded }, visit) => (
    <WorkspaceFrame
      visit={visit}
      workspace={workspace}
      title={t('Retention of packages')}
      current="packages"
    >
      <Breadcrumbs
        parts={[
          { label: t('Packages'), href: workspacePath(workspace.slug, 'packages') },
          { label: t('Retention') },
        ]}
      />
      <PageHead
        title={t('Retention of packages')}
        lead={t('For all packages of the workspace that have no rule of their own.')}
      />
      <RetentionParts
        visit={visit}
        here={workspaceHere(visit)}
        workspace={workspace.slug}
        {...loaded}
      />
    </WorkspaceFrame>
  ),
})

type RetentionCalls = {
  readonly preview: (visit: Visit, rule: RuleValues) => Promise<unknown>
  readonly save: (visit: Visit, rule: RuleValues) => Promise<unknown>
  readonly remove: (visit: Visit) => Promise<unknown>
}

const retentionForm = (page: Page, pathFor: (visit: Visit) => string, calls: RetentionCalls) =>
  action({
    path: page.path,
    page,
    submit: async (visit, fields) => {
      const here = pathFor(visit)
      const chosen = fields.text('do')
      if (chosen === 'preview') {
        const rule = ruleOf(fields)
        await calls.preview(visit, rule)
        return redirect(previewAddress(here, rule))
      }
      if (chosen === 'remove') await calls.remove(visit)
      else await calls.save(visit, ruleOf(fields))
      return redirectWithFlash(visit, here, chosen === 'remove' ? 'retention-removed' : 'saved')
    },
  })

export const retentionForms = [
  retentionForm(packageRetentionPage, packageHere, {
    preview: (visit, rule) => visit.call(previewPackageRetention, { ...targetOf(visit), ...rule }),
    save: (visit, rule) => visit.call(setPackageRetention, { ...targetOf(visit), ...rule }),
    remove: (visit) => visit.call(removePackageRetention, targetOf(visit)),
  }),
  retentionForm(workspaceRetentionPage, workspaceHere, {
    preview: (visit, rule) =>
      visit.call(previewWorkspaceRetention, { workspace: slugOf(visit), ...rule }),
    save: (visit, rule) => visit.call(setWorkspaceRetention, { workspace: slugOf(visit), ...rule }),
    remove: (visit) => visit.call(removeWorkspaceRetention, { workspace: slugOf(visit) }),
  }),
]
