import {
  AGENT_PERMISSIONS,
  ISSUE_TRIAGE,
  getRepo,
  getRepoSettings,
  updateRepo,
  updateRepoSettings,
  type Repo,
} from '#features/repos/index.ts'
import { getWorkspace, listWorkspaces } from '#features/workspaces/index.ts'
import {
  Button,
  Card,
  Checkbox,
  Field,
  FieldSet,
  Form,
  FormActions,
  LinkButton,
  PageHead,
  Select,
} from '../../components/index.ts'
import { repoPath } from '../../paths.ts'
import { redirectWithFlash, form, page, type OutputOf, type Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { ArchivedNotice, DangerZone, type Destinations } from './danger-zone.tsx'
import { repoOf } from './frame.tsx'
import { BranchPicker, loadPickableBranches, type PickableNames } from './name-pickers.tsx'
import { RepoSettingsFrame } from './settings-frame.tsx'
import { loadImport } from './import.tsx'
import { OUTSIDE_RUNS, RunsCard } from './run-settings.tsx'
import { localized, t, texts } from '../../text.ts'

/** What was typed into a field of a refused form, or else what is stored. */
type TypedOr = (name: string, stored: string) => string

const METHODS = ['merge', 'squash', 'rebase'] as const
const METHOD_WORDS = texts({ merge: 'Merge commit', squash: 'Squash', rebase: 'Rebase' } as const)

/** The settings that are on or off, in the order of the form. */
const PULL_REQUEST_FLAGS = localized([
  { name: 'require_up_to_date', label: 'Require branches to be up to date before merging' },
  { name: 'count_agent_approvals', label: 'Count approvals by agents' },
  {
    name: 'agent_review',
    label: 'Review by a model',
    hint: 'The review model of the workspace comments on what turns ready and on each push after that. It never approves, and its cost counts to the pull request.',
  },
  { name: 'dismiss_stale_approvals', label: 'Dismiss approvals when a push changes the diff' },
  {
    name: 'require_last_push_approval',
    label: 'Ignore approvals by people who pushed to the pull request',
  },
  { name: 'require_conversation_resolution', label: 'Require conversations to be resolved' },
  { name: 'delete_branch_on_merge', label: 'Delete the branch after merging' },
  {
    name: 'admins_may_push',
    label: 'Admins may push to the protected branch',
    hint: 'Agents and members without the role Admin open pull requests. Force pushes stay refused.',
  },
  {
    name: 'merge_queue',
    label: 'Merge queue',
    hint: 'Each pull request is tested together with those ahead of it before it is merged.',
  },
] as const)

/** The workspaces that the viewer may transfer the repository to. */
async function destinationsOf(visit: Visit, workspace: string): Promise<Destinations> {
  if (visit.viewer === null) return null
  const own = (await visit.call(listWorkspaces, { per_page: 100 })).items
    .filter(({ role }) => role === 'owner')
    .map(({ slug }) => slug)
  return own.includes(workspace) ? own.filter((slug) => slug !== workspace).sort() : null
}

/** Whether the viewer may delete a repository that they administer. */
async function mayDeleteIn(visit: Visit, slug: string): Promise<boolean> {
  const workspace = await visit.tryCall(getWorkspace, { workspace: slug })
  return workspace?.role === 'owner' || workspace?.members_can_delete_repositories === true
}

const ProtectionField = ({ repo }: { repo: Repo }) => (
  <div id="protection">
    <Checkbox
      name="protected"
      label={t('Protect the default branch')}
      hint={t(
        'Refuses force pushes and deletion. Changes are merged through pull requests; whether admins may also push is a setting of pull requests below.',
      )}
      checked={repo.protected}
    />
  </div>
)

type GeneralProps = { visit: Visit; repo: Repo; branches: PickableNames; typedOr: TypedOr }

const DefaultBranch = ({ visit, repo, branches, typedOr }: GeneralProps) => (
  <BranchPicker
    name="default_branch"
    label={t('Default branch')}
    names={branches}
    value={typedOr('default_branch', repo.default_branch)}
    error={fieldError(visit, 'default_branch')}
  />
)

const GeneralCard = ({ visit, repo, branches, here, typedOr }: GeneralProps & { here: string }) => (
  <Card title={t('General')}>
    <Form
      action={here}
      csrf={visit.csrf}
      error={
        visit.form.values.has('description')
          ? formError(visit, 'description', 'website', 'topics', 'default_branch')
          : null
      }
    >
      <Field
        name="description"
        label={t('Description')}
        maxlength={350}
        value={typedOr('description', repo.description ?? '')}
        error={fieldError(visit, 'description')}
      />
      <Field
        name="website"
        label={t('Website')}
        type="url"
        maxlength={255}
        value={typedOr('website', repo.website ?? '')}
        error={fieldError(visit, 'website')}
      />
      <Field
        name="topics"
        label={t('Topics')}
        hint={t('Separated by spaces.')}
        value={typedOr('topics', repo.topics.join(' '))}
        error={fieldError(visit, 'topics')}
      />
      {repo.permissions.admin && !repo.empty && (
        <DefaultBranch visit={visit} repo={repo} branches={branches} typedOr={typedOr} />
      )}
      <ProtectionField repo={repo} />
      <FormActions>
        <Button variant="primary">{t('Save')}</Button>
      </FormActions>
    </Form>
  </Card>
)

type PullSettings = OutputOf<typeof getRepoSettings>

const MergeMethods = ({
  visit,
  typedOr,
  settings,
}: {
  visit: Visit
  typedOr: TypedOr
  settings: PullSettings
}) => (
  <>
    <FieldSet legend={t('Merge methods')} error={fieldError(visit, 'merge_methods')}>
      {METHODS.map((method) => (
        <Checkbox
          name="merge_methods"
          value={method}
          label={METHOD_WORDS[method]}
          checked={settings.merge_methods.includes(method)}
        />
      ))}
    </FieldSet>
    <Select
      name="default_merge_method"
      label={t('Default merge method')}
      required
      options={METHODS.map((value) => ({ value, label: METHOD_WORDS[value] }))}
      value={typedOr('default_merge_method', settings.default_merge_method)}
      error={fieldError(visit, 'default_merge_method')}
    />
  </>
)

/** Which hosts of `agents.hosts` agent programs reach here. A forge without any has no field. */
const AgentHosts = ({ visit, settings }: { visit: Visit; settings: PullSettings }) => {
  const { hosts } = visit.hearth.settings.agents
  if (hosts.length === 0) return null
  return (
    <FieldSet
      legend={t('Hosts that agent programs reach')}
      hint={t('Besides models and tools. Each host that a program asks for is in its session.')}
      error={fieldError(visit, 'agent_hosts')}
    >
      {hosts.map((host) => (
        <Checkbox
          name="agent_hosts"
          value={host}
          label={host}
          checked={settings.agent_hosts?.includes(host) ?? true}
        />
      ))}
    </FieldSet>
  )
}

/** Null where all of them are ticked, so that a host which an administrator adds is among them. */
function tickedHosts(visit: Visit, ticked: readonly string[]): string[] | null {
  const { hosts } = visit.hearth.settings.agents
  return hosts.every((host) => ticked.includes(host)) ? null : [...ticked]
}

const AgentFields = ({
  visit,
  typedOr,
  settings,
}: {
  visit: Visit
  typedOr: TypedOr
  settings: PullSettings
}) => (
  <>
    <Select
      name="agent_permissions"
      label={t('Permissions of agent programs')}
      options={[
        { value: 'auto', label: t('Allowed in their sandbox') },
        { value: 'ask_execute', label: t('Ask before commands') },
        { value: 'ask_all', label: t('Ask before everything') },
      ]}
      value={typedOr('agent_permissions', settings.agent_permissions)}
      error={fieldError(visit, 'agent_permissions')}
    />
    <AgentHosts visit={visit} settings={settings} />
    <Checkbox
      name="agent_auto_merge_needs_person"
      label={t('Auto-merge of what agents made waits for an approval by a person')}
      checked={settings.agent_auto_merge_needs_person}
    />
    <Field
      name="max_revisions"
      label={t('Revisions of the built-in agent')}
      type="number"
      min={0}
      max={20}
      hint={t('How often failed checks and requested changes send it back to work by themselves.')}
      value={typedOr('max_revisions', String(settings.max_revisions))}
      error={fieldError(visit, 'max_revisions')}
    />
  </>
)

const PullRequestsCard = ({
  visit,
  here,
  typedOr,
  settings,
}: {
  visit: Visit
  here: string
  typedOr: TypedOr
  settings: PullSettings
}) => (
  <Card title={t('Pull requests')}>
    <Form
      action={`${here}/pulls`}
      csrf={visit.csrf}
      error={
        visit.form.values.has('required_approvals') ? (visit.form.error?.message ?? null) : null
      }
    >
      <Field
        name="required_approvals"
        label={t('Required approvals')}
        type="number"
        min={0}
        max={10}
        value={typedOr('required_approvals', String(settings.required_approvals))}
        error={fieldError(visit, 'required_approvals')}
      />
      {PULL_REQUEST_FLAGS.map(({ name, ...texts }) => (
        <Checkbox name={name} {...texts} checked={settings[name]} />
      ))}
      <AgentFields visit={visit} typedOr={typedOr} settings={settings} />
      <Field
        name="queue_slots"
        label={t('Queue entries tested at once')}
        type="number"
        min={1}
        max={20}
        value={typedOr('queue_slots', String(settings.queue_slots))}
        error={fieldError(visit, 'queue_slots')}
      />
      <MergeMethods visit={visit} typedOr={typedOr} settings={settings} />
      <FormActions>
        <Button variant="primary">{t('Save')}</Button>
      </FormActions>
    </Form>
  </Card>
)

/** Parts of a repository that can be switched off. */
const FEATURE_FLAGS = localized([
  { name: 'issues_enabled', label: 'Issues', hint: 'When this is off, nobody can open issues.' },
  {
    name: 'wiki_enabled',
    label: 'Wiki',
    hint: 'When this is off, its pages and its git repository cannot be reached. They are kept.',
  },
] as const)

const TRIAGE_WORDS = texts({
  off: 'Off',
  propose: 'Propose',
  apply_labels: 'Propose, and add existing labels without asking',
} as const)

const FeaturesCard = ({
  visit,
  here,
  typedOr,
  settings,
}: {
  visit: Visit
  here: string
  typedOr: TypedOr
  settings: PullSettings
}) => (
  <Card title={t('Features')}>
    <Form
      action={`${here}/features`}
      csrf={visit.csrf}
      label={t('Features')}
      error={visit.form.values.has('issue_triage') ? formError(visit, 'issue_triage') : null}
    >
      {FEATURE_FLAGS.map(({ name, ...texts }) => (
        <Checkbox name={name} {...texts} checked={settings[name]} />
      ))}
      <Select
        name="issue_triage"
        label={t('Triage of new issues by a model')}
        options={ISSUE_TRIAGE.map((value) => ({ value, label: TRIAGE_WORDS[value] }))}
        value={typedOr('issue_triage', settings.issue_triage)}
        hint={t(
          'A model reads each new issue and proposes labels, duplicates, a severity and a question. People with Triage decide. The workspace pays.',
        )}
        error={fieldError(visit, 'issue_triage')}
      />
      <FormActions>
        <Button variant="primary">{t('Save')}</Button>
      </FormActions>
    </Form>
  </Card>
)

export const repoSettingsPage = page({
  path: '/:workspace/:repo/settings',
  load: async (visit) => {
    const name = repoOf(visit)
    const [repo, settings, branches] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      visit.call(getRepoSettings, { repo: name }),
      loadPickableBranches(visit, name),
    ])
    if (!repo.permissions.maintain) return null
    return {
      repo,
      settings,
      branches,
      destinations: await destinationsOf(visit, repo.workspace),
      mayDelete: repo.permissions.admin && (await mayDeleteIn(visit, repo.workspace)),
      isImported: (await loadImport(visit, repo)) !== null,
    }
  },
  view: ({ repo, settings, branches, destinations, mayDelete, isImported }, visit) => {
    const typed = visit.form.values
    const typedOr = (name: string, stored: string) => (typed.has(name) ? typed.text(name) : stored)
    const here = repoPath(repo.full_name, '/settings')
    if (repo.archived) {
      return (
        <RepoSettingsFrame visit={visit} repo={repo} title={t('Settings')} part="general">
          <PageHead title={t('Settings')} />
          <ArchivedNotice repo={repo} visit={visit} />
        </RepoSettingsFrame>
      )
    }
    return (
      <RepoSettingsFrame visit={visit} repo={repo} title={t('Settings')} part="general">
        <PageHead
          title={t('Settings')}
          actions={
            isImported && (
              <LinkButton href={repoPath(repo.full_name, '/import')} icon="download">
                {t('Import')}
              </LinkButton>
            )
          }
        />
        <GeneralCard visit={visit} repo={repo} branches={branches} here={here} typedOr={typedOr} />
        <FeaturesCard visit={visit} here={here} typedOr={typedOr} settings={settings} />
        <PullRequestsCard visit={visit} here={here} typedOr={typedOr} settings={settings} />
        <RunsCard visit={visit} here={here} settings={settings} />
        {repo.permissions.admin && (
          <DangerZone repo={repo} visit={visit} destinations={destinations} mayDelete={mayDelete} />
        )}
      </RepoSettingsFrame>
    )
  },
})

export const repoSettingsForm = form({
  path: '/:workspace/:repo/settings',
  page: repoSettingsPage,
  operation: updateRepo,
  input: (fields, visit) => ({
    repo: repoOf(visit),
    description: fields.text('description'),
    website: fields.text('website').trim(),
    topics: fields.list('topics', /[\s,]+/),
    protected: fields.ticked('protected'),
    ...(fields.optional('default_branch') ? { default_branch: fields.text('default_branch') } : {}),
  }),
  done: (repo, visit) => redirectWithFlash(visit, repoPath(repo.full_name, '/settings'), 'saved'),
})

export const featureSettingsForm = form({
  path: '/:workspace/:repo/settings/features',
  page: repoSettingsPage,
  operation: updateRepoSettings,
  input: (fields, visit) => {
    const issue_triage = ISSUE_TRIAGE.find((one) => one === fields.text('issue_triage'))
    return {
      repo: repoOf(visit),
      issues_enabled: fields.ticked('issues_enabled'),
      wiki_enabled: fields.ticked('wiki_enabled'),
      ...(issue_triage === undefined ? {} : { issue_triage }),
    }
  },
  done: (_, visit) => redirectWithFlash(visit, repoPath(repoOf(visit), '/settings'), 'saved'),
})

export const runSettingsForm = form({
  path: '/:workspace/:repo/settings/runs',
  page: repoSettingsPage,
  operation: updateRepoSettings,
  input: (fields, visit) => ({
    repo: repoOf(visit),
    workflows_enabled: fields.ticked('workflows_enabled'),
    outside_runs: OUTSIDE_RUNS.find((value) => value === fields.text('outside_runs')),
  }),
  done: (_, visit) => redirectWithFlash(visit, repoPath(repoOf(visit), '/settings'), 'saved'),
})

export const pullSettingsForm = form({
  path: '/:workspace/:repo/settings/pulls',
  page: repoSettingsPage,
  operation: updateRepoSettings,
  input: (fields, visit) => ({
    repo: repoOf(visit),
    required_approvals: Number(fields.text('required_approvals')),
    require_up_to_date: fields.ticked('require_up_to_date'),
    count_agent_approvals: fields.ticked('count_agent_approvals'),
    agent_review: fields.ticked('agent_review'),
    agent_auto_merge_needs_person: fields.ticked('agent_auto_merge_needs_person'),
    agent_permissions: AGENT_PERMISSIONS.find((one) => one === fields.text('agent_permissions')),
    agent_hosts: tickedHosts(visit, fields.all('agent_hosts')),
    ...(fields.optional('max_revisions')
      ? { max_revisions: Number(fields.text('max_revisions')) }
      : {}),
    dismiss_stale_approvals: fields.ticked('dismiss_stale_approvals'),
    require_last_push_approval: fields.ticked('require_last_push_approval'),
    require_conversation_resolution: fields.ticked('require_conversation_resolution'),
    delete_branch_on_merge: fields.ticked('delete_branch_on_merge'),
    admins_may_push: fields.ticked('admins_may_push'),
    merge_queue: fields.ticked('merge_queue'),
    ...(fields.optional('queue_slots') ? { queue_slots: Number(fields.text('queue_slots')) } : {}),
    merge_methods: METHODS.filter((method) => fields.all('merge_methods').includes(method)),
    default_merge_method: METHODS.find((method) => method === fields.text('default_merge_method')),
  }),
  done: (_, visit) => redirectWithFlash(visit, repoPath(repoOf(visit), '/settings'), 'saved'),
})
