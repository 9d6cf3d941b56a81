import {
  getRepo,
  getRepoSettings,
  listBranches,
  updateRepo,
  updateRepoSettings,
} from '#features/repos/index.ts'
import { listWorkspaces } from '#features/workspaces/index.ts'
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
import { flashTo, form, page, type Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { ArchivedNotice, DangerZone, type Destinations } from './danger-zone.tsx'
import { RepoFrame, repoOf } from './frame.tsx'

const METHODS = ['merge', 'squash', 'rebase'] as const
const METHOD_WORDS = { merge: 'Merge commit', squash: 'Squash', rebase: 'Rebase' } as const

/** The workspaces that a person may move a repository of theirs to. */
async function destinationsOf(visit: Visit, workspace: string): Promise<Destinations> {
  if (visit.viewer === null) return null
  const own = (await visit.call(listWorkspaces, { per_page: 100 })).items
    .filter(({ role }) => role === 'owner')
    .map(({ slug }) => slug)
  return own.includes(workspace) ? own.filter((slug) => slug !== workspace).sort() : null
}

export const repoSettingsPage = page({
  path: '/:workspace/:repo/settings',
  load: async (visit) => {
    const name = repoOf(visit)
    const [repo, settings, branches] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      visit.call(getRepoSettings, { repo: name }),
      visit.call(listBranches, { repo: name, per_page: 100 }),
    ])
    if (!repo.permissions.maintain) return null
    return {
      repo,
      settings,
      branches: branches.items.map((branch) => branch.name),
      destinations: await destinationsOf(visit, repo.workspace),
    }
  },
  view: ({ repo, settings, branches, destinations }, visit) => {
    const typed = visit.form.values
    const kept = (name: string, stored: string) => (typed.has(name) ? typed.text(name) : stored)
    const here = repoPath(repo.full_name, '/settings')
    if (repo.archived) {
      return (
        <RepoFrame visit={visit} repo={repo} title="Settings" current="settings" width="narrow">
          <PageHead title="Settings" />
          <ArchivedNotice repo={repo} visit={visit} />
        </RepoFrame>
      )
    }
    return (
      <RepoFrame visit={visit} repo={repo} title="Settings" current="settings" width="narrow">
        <PageHead
          title="Settings"
          actions={
            <>
              <LinkButton href={`${here}/rulesets`} icon="shield">
                Rulesets
              </LinkButton>
              {repo.permissions.admin && (
                <>
                  <LinkButton href={`${here}/collaborators`} icon="users">
                    Collaborators
                  </LinkButton>
                  <LinkButton href={`${here}/hooks`} icon="webhook">
                    Webhooks
                  </LinkButton>
                </>
              )}
            </>
          }
        />
        <Card title="General">
          <Form
            action={here}
            csrf={visit.csrf}
            error={
              typed.has('description')
                ? formError(visit, 'description', 'website', 'topics', 'default_branch')
                : null
            }
          >
            <Field
              name="description"
              label="Description"
              maxlength={350}
              value={kept('description', repo.description ?? '')}
              error={fieldError(visit, 'description')}
            />
            <Field
              name="website"
              label="Website"
              type="url"
              maxlength={255}
              value={kept('website', repo.website ?? '')}
              error={fieldError(visit, 'website')}
            />
            <Field
              name="topics"
              label="Topics"
              hint="Separated by spaces."
              value={kept('topics', repo.topics.join(' '))}
              error={fieldError(visit, 'topics')}
            />
            {repo.permissions.admin && branches.length > 0 && (
              <Select
                name="default_branch"
                label="Default branch"
                required
                options={branches.map((value) => ({ value, label: value }))}
                value={kept('default_branch', repo.default_branch)}
                error={fieldError(visit, 'default_branch')}
              />
            )}
            <Checkbox
              name="protected"
              label="Protect the default branch"
              hint="No force push, no deletion; changes arrive through merged pull requests only."
              checked={repo.protected}
            />
            <FormActions>
              <Button look="primary">Save</Button>
            </FormActions>
          </Form>
        </Card>
        <Card title="Pull requests">
          <Form
            action={`${here}/pulls`}
            csrf={visit.csrf}
            error={
              visit.form.values.has('required_approvals')
                ? (visit.form.error?.message ?? null)
                : null
            }
          >
            <Field
              name="required_approvals"
              label="Approvals needed"
              type="number"
              min={0}
              max={10}
              value={kept('required_approvals', String(settings.required_approvals))}
              error={fieldError(visit, 'required_approvals')}
            />
            <Checkbox
              name="require_up_to_date"
              label="Must be up to date with its base"
              checked={settings.require_up_to_date}
            />
            <Checkbox
              name="count_agent_approvals"
              label="Count approvals by agents"
              checked={settings.count_agent_approvals}
            />
            <Checkbox
              name="dismiss_stale_approvals"
              label="A push makes earlier approvals stale"
              checked={settings.dismiss_stale_approvals}
            />
            <Checkbox
              name="require_conversation_resolution"
              label="Conversations must be resolved"
              checked={settings.require_conversation_resolution}
            />
            <Checkbox
              name="delete_branch_on_merge"
              label="Delete the branch once it is merged"
              checked={settings.delete_branch_on_merge}
            />
            <Checkbox
              name="admins_may_push"
              label="Admins may push to the protected branch"
              checked={settings.admins_may_push}
            />
            <Checkbox
              name="merge_queue"
              label="Merge through a queue"
              hint="Each is tested as the commit that lands, on top of those ahead of it."
              checked={settings.merge_queue}
            />
            <Field
              name="queue_slots"
              label="Tested in the queue at once"
              type="number"
              min={1}
              max={20}
              value={kept('queue_slots', String(settings.queue_slots))}
              error={fieldError(visit, 'queue_slots')}
            />
            <FieldSet
              legend="How a pull request may be merged"
              error={fieldError(visit, 'merge_methods')}
            >
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
              label="Offered first"
              required
              options={METHODS.map((value) => ({ value, label: METHOD_WORDS[value] }))}
              value={kept('default_merge_method', settings.default_merge_method)}
              error={fieldError(visit, 'default_merge_method')}
            />
            <FormActions>
              <Button look="primary">Save</Button>
            </FormActions>
          </Form>
        </Card>
        {repo.permissions.admin && (
          <DangerZone repo={repo} visit={visit} destinations={destinations} />
        )}
      </RepoFrame>
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
  done: (repo, visit) => flashTo(visit, repoPath(repo.full_name, '/settings'), 'saved'),
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
    dismiss_stale_approvals: fields.ticked('dismiss_stale_approvals'),
    require_conversation_resolution: fields.ticked('require_conversation_resolution'),
    delete_branch_on_merge: fields.ticked('delete_branch_on_merge'),
    admins_may_push: fields.ticked('admins_may_push'),
    merge_queue: fields.ticked('merge_queue'),
    ...(fields.optional('queue_slots') ? { queue_slots: Number(fields.text('queue_slots')) } : {}),
    merge_methods: METHODS.filter((method) => fields.all('merge_methods').includes(method)),
    default_merge_method: METHODS.find((method) => method === fields.text('default_merge_method')),
  }),
  done: (_, visit) => flashTo(visit, repoPath(repoOf(visit), '/settings'), 'saved'),
})
