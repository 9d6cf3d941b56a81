import {
  deleteTeam,
  getTeam,
  listChildTeams,
  listTeamMembers,
  listTeamRepos,
  removeTeamMember,
  removeTeamRepo,
  setReviewAssignment,
  setTeamMember,
  setTeamRepo,
  updateTeam,
  type Team,
} from '#features/teams/index.ts'
import { getRepo } from '#features/repos/index.ts'
import { getWorkspace, type Workspace } from '#features/workspaces/index.ts'
import { invalid } from '#lib/errors.ts'
import {
  ActionButton,
  Avatar,
  Badge,
  Button,
  Card,
  Checkbox,
  Columns,
  EmptyState,
  Field,
  Form,
  FormActions,
  LinkButton,
  List,
  PageHead,
  Radio,
  FieldSet,
  RelativeTime,
  Row,
  Select,
  SideBlock,
} from '../../components/index.ts'
import type { Child } from '../../jsx/html.ts'
import { repoPath, teamPath, userPath, workspacePath } from '../../paths.ts'
import { action, flashTo, form, page, type Visit } from '../../site.ts'
import { ROLE_OPTIONS, roleOf } from '../repos/collaborators.tsx'
import { fieldError, formError } from '../shell.tsx'
import { WorkspaceFrame } from './frame.tsx'
import { parentOptions } from './teams.tsx'

const addressed = (visit: Visit) => ({
  workspace: visit.params['workspace'] ?? '',
  team: visit.params['team'] ?? '',
})
const here = ({ workspace, slug }: Pick<Team, 'workspace' | 'slug'>, part = ''): string =>
  `${teamPath(workspace, slug)}${part}`
const back = (visit: Visit, part = ''): string => {
  const { workspace, team } = addressed(visit)
  return `${teamPath(workspace, team)}${part}`
}

const TeamFrame = (props: {
  visit: Visit
  workspace: Workspace
  team: Team
  title: string
  actions?: Child
  children?: Child
}) => (
  <WorkspaceFrame
    visit={props.visit}
    workspace={props.workspace}
    title={props.title}
    current="teams"
  >
    <PageHead
      title={
        <>
          {props.team.name}{' '}
          {props.team.visibility === 'secret' && <Badge icon="lock">Secret</Badge>}
        </>
      }
      lead={props.team.description || undefined}
      actions={props.actions}
    />
    {props.children}
  </WorkspaceFrame>
)

/** The message of a refused form for the one that has this field. */
const errorOf = (visit: Visit, field: string): { field: string | null; form: string | null } =>
  visit.form.values.has(field)
    ? { field: fieldError(visit, field), form: formError(visit, field) }
    : { field: null, form: null }

export const teamPage = page({
  path: '/:workspace/-/teams/:team',
  load: async (visit) => {
    const at = addressed(visit)
    const [workspace, team, members, repos, children] = await Promise.all([
      visit.call(getWorkspace, { workspace: at.workspace }),
      visit.call(getTeam, at),
      visit.call(listTeamMembers, at),
      visit.call(listTeamRepos, { ...at, per_page: 100 }),
      visit.call(listChildTeams, at),
    ])
    return { workspace, team, members: members.items, repos: repos.items, children: children.items }
  },
  view: ({ workspace, team, members, repos, children }, visit) => {
    const add = errorOf(visit, 'username')
    const give = errorOf(visit, 'repo')
    return (
      <TeamFrame
        visit={visit}
        workspace={workspace}
        team={team}
        title={`${team.name} · ${workspace.name}`}
        actions={
          team.can_manage ? (
            <LinkButton href={here(team, '/settings')} icon="settings">
              Settings
            </LinkButton>
          ) : undefined
        }
      >
        <Columns
          where="right"
          side={
            <>
              <SideBlock title="Mention">
                <p class="mono">
                  @{workspace.slug}/{team.slug}
                </p>
              </SideBlock>
              {team.parent && (
                <SideBlock title="Below">
                  <p>
                    <a href={teamPath(workspace.slug, team.parent.slug)}>{team.parent.name}</a>
                  </p>
                </SideBlock>
              )}
              {children.length > 0 && (
                <SideBlock title="Teams below">
                  <ul class="plain-list">
                    {children.map((child) => (
                      <li>
                        <a href={teamPath(workspace.slug, child.slug)}>{child.name}</a>
                      </li>
                    ))}
                  </ul>
                </SideBlock>
              )}
              <SideBlock title="Reviews">
                <p class="muted">
                  {team.review_assignment.enabled
                    ? `Picks ${team.review_assignment.count} ${team.review_assignment.algorithm === 'round_robin' ? 'in turn' : 'by load'}`
                    : 'Everyone in it is asked'}
                </p>
              </SideBlock>
            </>
          }
        >
          {members.length > 0 && (
            <List label="People" head={<h2>People</h2>}>
              {members.map(({ user, role, added_at }) => (
                <Row
                  mark={<Avatar of={user} size={32} />}
                  title={<a href={userPath(user.username)}>{user.name ?? user.username}</a>}
                  meta={
                    <>
                      {user.name !== null && <span>{user.username}</span>}
                      <span>
                        Since <RelativeTime at={added_at} />
                      </span>
                    </>
                  }
                  end={
                    <>
                      <Badge tone={role === 'maintainer' ? 'info' : 'plain'}>
                        {role === 'maintainer' ? 'Maintainer' : 'Member'}
                      </Badge>
                      {team.can_manage && (
                        <ActionButton
                          action={here(team, '/members')}
                          csrf={visit.csrf}
                          values={{
                            username: user.username,
                            role: role === 'maintainer' ? 'member' : 'maintainer',
                          }}
                        >
                          <Button small>
                            {role === 'maintainer' ? 'Make member' : 'Make maintainer'}
                          </Button>
                        </ActionButton>
                      )}
                      {(team.can_manage || user.id === visit.viewer?.id) && (
                        <ActionButton
                          action={here(team, '/members/remove')}
                          csrf={visit.csrf}
                          values={{ username: user.username }}
                        >
                          <Button small look="danger">
                            {user.id === visit.viewer?.id ? 'Leave' : 'Remove'}
                          </Button>
                        </ActionButton>
                      )}
                    </>
                  }
                />
              ))}
            </List>
          )}
          {members.length === 0 && <EmptyState icon="users" title="Nobody is in it yet" />}
          {team.can_manage && (
            <Form
              action={here(team, '/members')}
              csrf={visit.csrf}
              inline
              error={add.form}
              label="Add somebody"
            >
              <Field
                name="username"
                label="Username"
                required
                mono
                value={visit.form.values.text('username')}
                error={add.field}
              />
              <Button icon="plus">Add</Button>
            </Form>
          )}
          {repos.length === 0 ? (
            <EmptyState icon="repo" title="No repositories yet">
              Admins of a repository give the team a role on it.
            </EmptyState>
          ) : (
            <List label="Repositories" head={<h2>Repositories</h2>}>
              {repos.map((repo) => (
                <Row
                  title={<a href={repoPath(repo.full_name)}>{repo.full_name}</a>}
                  meta={
                    repo.inherited_from === null ? undefined : (
                      <span>
                        from the team{' '}
                        <a href={teamPath(workspace.slug, repo.inherited_from)}>
                          {repo.inherited_from}
                        </a>
                      </span>
                    )
                  }
                  end={
                    <>
                      {repo.private && <Badge icon="lock">Private</Badge>}
                      <Badge tone={repo.role === 'admin' ? 'info' : 'plain'}>{repo.role}</Badge>
                      {repo.inherited_from === null && workspace.role === 'owner' && (
                        <ActionButton
                          action={here(team, '/repos/remove')}
                          csrf={visit.csrf}
                          values={{ repo: repo.full_name }}
                        >
                          <Button small look="danger">
                            Remove
                          </Button>
                        </ActionButton>
                      )}
                    </>
                  }
                />
              ))}
            </List>
          )}
          <Form
            action={here(team, '/repos')}
            csrf={visit.csrf}
            inline
            error={give.form}
            label="Give a role on a repository"
          >
            <Field
              name="repo"
              label="Repository of which you are an admin"
              required
              mono
              placeholder={`${workspace.slug}/name`}
              value={visit.form.values.text('repo')}
              error={give.field}
            />
            <Select
              name="role"
              label="Role"
              required
              options={ROLE_OPTIONS}
              value={visit.form.values.optional('role') ?? 'write'}
            />
            <Button icon="plus">Give</Button>
          </Form>
        </Columns>
      </TeamFrame>
    )
  },
})

export const teamSettingsPage = page({
  path: '/:workspace/-/teams/:team/settings',
  load: async (visit) => {
    const at = addressed(visit)
    const [workspace, team] = await Promise.all([
      visit.call(getWorkspace, { workspace: at.workspace }),
      visit.call(getTeam, at),
    ])
    return team.can_manage
      ? { workspace, team, parents: await parentOptions(visit, at.workspace, team.slug) }
      : null
  },
  view: ({ workspace, team, parents }, visit) => {
    const typed = visit.form.values
    const kept = (name: string, stored: string) => (typed.has(name) ? typed.text(name) : stored)
    const general = typed.has('name')
    const rules = typed.has('algorithm')
    const { review_assignment: assignment } = team
    const options = [
      { value: '', label: 'No other team' },
      ...parents,
      ...(team.parent && !parents.some(({ value }) => value === team.parent?.slug)
        ? [{ value: team.parent.slug, label: team.parent.name }]
        : []),
    ]
    return (
      <TeamFrame
        visit={visit}
        workspace={workspace}
        team={team}
        title={`Settings of ${team.name}`}
        actions={<LinkButton href={here(team)}>Back to the team</LinkButton>}
      >
        <Card title="General">
          <Form
            action={here(team, '/settings')}
            csrf={visit.csrf}
            error={general ? formError(visit, 'name', 'description', 'parent') : null}
          >
            <Field
              name="name"
              label="Name"
              required
              maxlength={80}
              value={kept('name', team.name)}
              error={general ? fieldError(visit, 'name') : null}
            />
            <Field
              name="description"
              label="Description"
              maxlength={350}
              value={kept('description', team.description)}
              error={general ? fieldError(visit, 'description') : null}
            />
            <Select
              name="parent"
              label="Below"
              options={options}
              hint="It inherits the roles of the team above."
              value={kept('parent', team.parent?.slug ?? '')}
              error={general ? fieldError(visit, 'parent') : null}
            />
            <Checkbox
              name="secret"
              label="Secret"
              hint="Seen by its own members and by owners only; stands alone."
              checked={general ? typed.ticked('secret') : team.visibility === 'secret'}
            />
            <Checkbox
              name="notify"
              label="A mention notifies everyone in it"
              checked={general ? typed.ticked('notify') : team.notify}
            />
            <FormActions>
              <Button look="primary">Save</Button>
            </FormActions>
          </Form>
        </Card>
        <Card title="Review assignment" id="reviews">
          <Form
            action={here(team, '/settings/reviews')}
            csrf={visit.csrf}
            error={rules ? formError(visit, 'count', 'busy_at', 'excluded') : null}
          >
            <Checkbox
              name="enabled"
              label="Pick people when the team is asked for a review"
              hint="Otherwise everyone in it is asked."
              checked={rules ? typed.ticked('enabled') : assignment.enabled}
            />
            <FieldSet legend="Whom to pick">
              <Radio
                name="algorithm"
                value="round_robin"
                label="In turn: whoever was asked least recently"
                checked={kept('algorithm', assignment.algorithm) === 'round_robin'}
              />
              <Radio
                name="algorithm"
                value="load_balance"
                label="By load: whoever has the fewest reviews waiting"
                checked={kept('algorithm', assignment.algorithm) === 'load_balance'}
              />
            </FieldSet>
            <Field
              name="count"
              label="How many"
              type="number"
              required
              min={1}
              max={10}
              value={kept('count', String(assignment.count))}
              error={rules ? fieldError(visit, 'count') : null}
            />
            <Checkbox
              name="skip_busy"
              label="Leave out busy people"
              checked={rules ? typed.ticked('skip_busy') : assignment.skip_busy}
            />
            <Field
              name="busy_at"
              label="Busy from this many waiting reviews on"
              type="number"
              required
              min={1}
              max={100}
              value={kept('busy_at', String(assignment.busy_at))}
              error={rules ? fieldError(visit, 'busy_at') : null}
            />
            <Checkbox
              name="include_child_teams"
              label="Pick from the teams below as well"
              checked={rules ? typed.ticked('include_child_teams') : assignment.include_child_teams}
            />
            <Field
              name="excluded"
              label="Never pick"
              mono
              hint="Usernames, separated by spaces."
              value={kept('excluded', assignment.excluded.join(' '))}
              error={
                rules && visit.form.error?.field?.startsWith('excluded')
                  ? visit.form.error.message
                  : null
              }
            />
            <Checkbox
              name="notify_team"
              label="Tell the rest of the team"
              checked={rules ? typed.ticked('notify_team') : assignment.notify_team}
            />
            <FormActions>
              <Button look="primary">Save</Button>
            </FormActions>
          </Form>
        </Card>
        <Card title="Delete the team" tone="bad">
          <p>The roles that it gives end, and the teams below it become top level.</p>
          <ActionButton action={here(team, '/delete')} csrf={visit.csrf}>
            <Button look="danger">Delete {team.name}</Button>
          </ActionButton>
        </Card>
      </TeamFrame>
    )
  },
})

export const updateTeamForm = form({
  path: '/:workspace/-/teams/:team/settings',
  page: teamSettingsPage,
  operation: updateTeam,
  input: (fields, visit) => ({
    ...addressed(visit),
    name: fields.text('name'),
    description: fields.text('description'),
    parent: fields.optional('parent') ?? null,
    visibility: fields.ticked('secret') ? ('secret' as const) : ('visible' as const),
    notify: fields.ticked('notify'),
  }),
  done: (team, visit) => flashTo(visit, here(team, '/settings'), 'saved'),
})

export const reviewAssignmentForm = form({
  path: '/:workspace/-/teams/:team/settings/reviews',
  page: teamSettingsPage,
  operation: setReviewAssignment,
  input: (fields, visit) => ({
    ...addressed(visit),
    enabled: fields.ticked('enabled'),
    algorithm:
      fields.text('algorithm') === 'load_balance'
        ? ('load_balance' as const)
        : ('round_robin' as const),
    count: Number(fields.text('count')),
    skip_busy: fields.ticked('skip_busy'),
    busy_at: Number(fields.text('busy_at')),
    include_child_teams: fields.ticked('include_child_teams'),
    excluded: fields.list('excluded', /[\s,]+/),
    notify_team: fields.ticked('notify_team'),
  }),
  done: (team, visit) => flashTo(visit, here(team, '/settings'), 'saved'),
})

export const deleteTeamForm = action({
  path: '/:workspace/-/teams/:team/delete',
  submit: async (visit) => {
    await visit.call(deleteTeam, addressed(visit))
    return flashTo(visit, workspacePath(addressed(visit).workspace, 'teams'), 'team-deleted')
  },
})

export const setTeamMemberForm = action({
  path: '/:workspace/-/teams/:team/members',
  page: teamPage,
  submit: async (visit, fields) => {
    const role = fields.has('role')
      ? fields.text('role') === 'maintainer'
        ? ('maintainer' as const)
        : ('member' as const)
      : undefined
    await visit.call(setTeamMember, {
      ...addressed(visit),
      username: fields.text('username').trim().replace(/^@/, ''),
      role,
    })
    return flashTo(visit, back(visit), 'saved')
  },
})

export const removeTeamMemberForm = action({
  path: '/:workspace/-/teams/:team/members/remove',
  submit: async (visit, fields) => {
    const username = fields.text('username')
    await visit.call(removeTeamMember, { ...addressed(visit), username })
    return flashTo(
      visit,
      username === visit.viewer?.username
        ? workspacePath(addressed(visit).workspace, 'teams')
        : back(visit),
      'member-removed',
    )
  },
})

export const setTeamRepoForm = action({
  path: '/:workspace/-/teams/:team/repos',
  page: teamPage,
  submit: async (visit, fields) => {
    const repo = fields.text('repo').trim()
    // The name was typed: what is not there is said beside the field, with the rest of the page.
    if ((await visit.tryCall(getRepo, { repo })) === null)
      throw invalid('repo', `there is no repository ${repo}`)
    await visit.call(setTeamRepo, { ...addressed(visit), repo, role: roleOf(fields.text('role')) })
    return flashTo(visit, back(visit), 'saved')
  },
})

export const removeTeamRepoForm = action({
  path: '/:workspace/-/teams/:team/repos/remove',
  submit: async (visit, fields) => {
    await visit.call(removeTeamRepo, { ...addressed(visit), repo: fields.text('repo') })
    return flashTo(visit, back(visit), 'saved')
  },
})
