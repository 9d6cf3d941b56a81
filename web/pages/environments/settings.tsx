// Environments of a repository and what protects them.
import {
  deleteEnvironment,
  listEnvironments,
  setEnvironment,
  type Environment,
} from '#features/environments/index.ts'
import { getRepo, type Repo } from '#features/repos/index.ts'
import {
  ActionButton,
  Button,
  Card,
  Checkbox,
  Chip,
  EmptyState,
  Field,
  Form,
  firstItems,
  FormActions,
  htmlBytes,
  LinkButton,
  List,
  PageHead,
  Row,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { repoPath, withQuery } from '../../paths.ts'
import { action, page, redirectWithFlash, type Fields, type Visit } from '../../site.ts'
import { rich, t, tn } from '../../text.ts'
import { repoOf } from '../repos/frame.tsx'
import { RepoSettingsFrame } from '../repos/settings-frame.tsx'
import {
  onSamePage,
  pageOfHeavyRows,
  RowForm,
  RowSteps,
  type ListPage,
  type RowLimits,
} from '../row-form.tsx'
import { fieldError, formError } from '../shell.tsx'

type Shown = { readonly repo: Repo; readonly environments: ListPage<Environment> }

/** What a row has beside its name, its reviewers and the patterns of its branches. */
const ROW_BYTES = 600
const REVIEWER_BYTES = 480
/** The rest of the page with one open form has up to 26 KB. */
const LIMITS: RowLimits<Environment> = {
  perPage: 50,
  maxBytes: 70_000,
  bytesOf: ({ name, reviewers, branches }) =>
    ROW_BYTES +
    3 * htmlBytes(name) +
    reviewers.reduce((sum, reviewer) => sum + REVIEWER_BYTES + htmlBytes(reviewer), 0) +
    patternsShown(branches).reduce((sum, pattern) => sum + CHIP_BYTES + htmlBytes(pattern), 0),
}

const settingsPath = (visit: Visit, rest = ''): string =>
  repoPath(repoOf(visit), `/settings/environments${rest}`)

/** The address of the list or of a form, on the page that is shown. */
const herePath = (visit: Visit, rest = ''): string =>
  onSamePage(visit, settingsPath(visit, rest), 'page')

/** The id of the environment whose form was refused; empty for a new one. */
const refusedOf = ({ form }: Visit): string | null =>
  form.error === null ? null : form.values.text('of')

const FIELDS = ['environment', 'reviewers', 'wait_minutes', 'branches'] as const

/** What has to happen before a job deploys. */
const ProtectionFields = ({
  row,
  shown,
  wrong,
  id,
  typed,
  values,
}: {
  row: Environment | null
  shown: (name: string, stored: string) => string
  wrong: (name: string) => string | null
  id: (name: string) => string
  typed: boolean
  values: Fields
}) => (
  <>
    <Field
      id={id('reviewers')}
      name="reviewers"
      label={t('Reviewers')}
      autocomplete="off"
      value={shown('reviewers', row?.reviewers.join(', ') ?? '')}
      error={wrong('reviewers')}
      hint={t(
        'Up to six usernames and teams (workspace/team), of whom one has to approve. Left empty, nobody has to.',
      )}
    />
    <Checkbox
      id={id('prevent_self_review')}
      name="prevent_self_review"
      label={t('Prevent self-review: nobody approves a run that they or their agents started')}
      checked={typed ? values.ticked('prevent_self_review') : (row?.prevent_self_review ?? true)}
    />
    <Field
      id={id('wait_minutes')}
      name="wait_minutes"
      label={t('Waiting time in minutes')}
      type="number"
      min={0}
      max={43200}
      value={shown('wait_minutes', String(row?.wait_minutes ?? 0))}
      error={wrong('wait_minutes')}
      hint={t('Counted from when the job could have begun; at most 30 days (43,200).')}
    />
    <Field
      id={id('branches')}
      name="branches"
      label={t('Branches')}
      autocomplete="off"
      mono
      placeholder={t('main, release/*')}
      value={shown('branches', row?.branches.join(', ') ?? '')}
      error={wrong('branches')}
      hint={rich('Patterns of branches that may deploy; {code} allows tags. Left empty, all may.', {
        code: <code>refs/tags/v*</code>,
      })}
    />
  </>
)

const EnvironmentForm = ({ visit, row }: { visit: Visit; row: Environment | null }) => {
  const { values } = visit.form
  const typed = refusedOf(visit) === (row?.id ?? '')
  const shown = (name: string, stored: string) => (typed ? values.text(name) : stored)
  const wrong = (name: string) => (typed ? fieldError(visit, name) : null)
  const id = (name: string) => `${row?.id ?? 'new'}-${name}`
  return (
    <Form
      action={herePath(visit)}
      csrf={visit.csrf}
      error={typed ? formError(visit, ...FIELDS) : null}
    >
      <input type="hidden" name="of" value={row?.id ?? ''} />
      {row ? (
        <input type="hidden" name="environment" value={row.name} />
      ) : (
        <Field
          id={id('environment')}
          name="environment"
          label={t('Name')}
          required
          maxlength={255}
          autocomplete="off"
          placeholder={t('production')}
          value={shown('environment', '')}
          error={wrong('environment')}
          hint={rich('As jobs write it after {code}.', { code: <code>environment:</code> })}
        />
      )}
      <ProtectionFields {...{ row, shown, wrong, id, typed }} values={values} />
      <FormActions>
        <Button variant={row ? undefined : 'primary'} icon={row ? undefined : 'plus'}>
          {row ? t('Save') : t('Create environment')}
        </Button>
      </FormActions>
    </Form>
  )
}

const EditEnvironment = ({ visit, row }: { visit: Visit; row: Environment }) => (
  <>
    <EnvironmentForm visit={visit} row={row} />
    <ActionButton
      action={herePath(visit, '/delete')}
      csrf={visit.csrf}
      values={{ environment: row.name }}
    >
      <Button variant="danger" icon="trash">
        {t('Delete environment')}
      </Button>
    </ActionButton>
    <p class="muted small">
      {t(
        'Deployments that wait for it are rejected. A later job that names it makes it anew, without protection.',
      )}
    </p>
  </>
)

/** What a row shows of the patterns of branches; the form has all of them. */
const MAX_PATTERNS_BYTES = 1_200
const CHIP_BYTES = 330

const patternsShown = (of: readonly string[]): readonly string[] =>
  firstItems(of, MAX_PATTERNS_BYTES, (pattern) => CHIP_BYTES + htmlBytes(pattern))

const Patterns = ({ of }: { of: readonly string[] }) => {
  const shown = patternsShown(of)
  return (
    <>
      {shown.map((pattern) => (
        <Chip icon="branch">{pattern}</Chip>
      ))}
      {shown.length < of.length && (
        <span>{rich('and {names} more', { names: of.length - shown.length })}</span>
      )}
    </>
  )
}

const EnvironmentRow = ({ visit, repo, row }: { visit: Visit; repo: Repo; row: Environment }) => (
  <Row
    title={
      <a
        class="row-link"
        href={withQuery(repoPath(repo.full_name, '/deployments'), { environment: row.name })}
      >
        {row.name}
      </a>
    }
    meta={
      <>
        {row.reviewers.length > 0 && (
          <span>
            {rich('Reviewers: {names}', {
              names: row.reviewers.map((name) => <Chip icon="user">{name}</Chip>),
            })}
          </span>
        )}
        {row.wait_minutes > 0 && (
          <span>{tn('Waits {count} minute', 'Waits {count} minutes', row.wait_minutes)}</span>
        )}
        <Patterns of={row.branches} />
        <span>{tn('{count} deployment', '{count} deployments', row.deployments_count)}</span>
      </>
    }
  >
    {!repo.archived && (
      <RowForm
        visit={visit}
        id={row.id}
        refused={refusedOf(visit)}
        here={herePath(visit)}
        label={rich('Edit {name}', { name: row.name })}
      >
        {() => <EditEnvironment visit={visit} row={row} />}
      </RowForm>
    )}
  </Row>
)

const SettingsView = ({ visit, repo, environments }: Shown & { visit: Visit }): Html => (
  <RepoSettingsFrame visit={visit} repo={repo} title={t('Environments')} part="environments">
    <PageHead
      title={t('Environments')}
      lead={t('Where jobs deploy to, and what has to happen before they may.')}
      actions={
        <LinkButton href={repoPath(repo.full_name, '/settings/variables')} icon="key">
          {t('Variables and secrets')}
        </LinkButton>
      }
    />
    {environments.items.length === 0 ? (
      <EmptyState icon="upload" title={t('No environments yet')}>
        {t('Create one to require an approval, a waiting time or a branch before jobs deploy.')}
      </EmptyState>
    ) : (
      <List label={t('Environments')}>
        {environments.items.map((row) => (
          <EnvironmentRow visit={visit} repo={repo} row={row} />
        ))}
      </List>
    )}
    <RowSteps list={environments} here={settingsPath(visit)} label={t('Pages of environments')} />
    {!repo.archived && (
      <Card title={t('New environment')}>
        <EnvironmentForm visit={visit} row={null} />
      </Card>
    )}
  </RepoSettingsFrame>
)

export const environmentsPage = page({
  path: '/:workspace/:repo/settings/environments',
  load: async (visit): Promise<Shown | null> => {
    const repo = await visit.call(getRepo, { repo: repoOf(visit) })
    if (!repo.permissions.admin) return null
    const { items } = await visit.call(listEnvironments, { repo: repo.full_name })
    return { repo, environments: pageOfHeavyRows(visit, items, LIMITS) }
  },
  view: (shown, visit) => <SettingsView visit={visit} {...shown} />,
})

const environmentInput = (fields: Fields) => ({
  environment: fields.text('environment'),
  reviewers: fields.list('reviewers', /[,\s]+/),
  wait_minutes: Number(fields.text('wait_minutes').trim() || 0),
  branches: fields.list('branches', /[,\r\n]/),
  prevent_self_review: fields.ticked('prevent_self_review'),
})

export const environmentForms = [
  action({
    path: '/:workspace/:repo/settings/environments',
    page: environmentsPage,
    submit: async (visit, fields) => {
      await visit.call(setEnvironment, { repo: repoOf(visit), ...environmentInput(fields) })
      return redirectWithFlash(visit, herePath(visit), 'environment-saved')
    },
  }),
  action({
    path: '/:workspace/:repo/settings/environments/delete',
    page: environmentsPage,
    submit: async (visit, fields) => {
      await visit.call(deleteEnvironment, {
        repo: repoOf(visit),
        environment: fields.text('environment'),
      })
      return redirectWithFlash(visit, herePath(visit), 'environment-deleted')
    },
  }),
]
