import {
  getTeam,
  listChildTeams,
  listTeamMembers,
  listTeamRepos,
  removeTeamMember,
  removeTeamRepo,
  setTeamMember,
  setTeamRepo,
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
  Columns,
  EmptyState,
  Field,
  Form,
  LinkButton,
  List,
  RelativeTime,
  Row,
  Select,
  SideBlock,
} from '../../components/index.ts'
import { repoPath, teamPath, userPath, workspacePath } from '../../paths.ts'
import { action, redirectWithFlash, page, type Visit } from '../../site.ts'
import { roleOf, roleOptions } from '../repos/collaborators.tsx'
import { loadPage, onSamePage, RowSteps, type ListPage } from '../row-form.tsx'
import { fieldError, formError } from '../shell.tsx'
import { addressedPath, addressedTeam, pathOfTeam, TeamFrame } from './team-frame.tsx'
import { roleWord } from '../../messages.ts'
import { rich, t } from '../../text.ts'

/** The pages of the other lists, in the address. That of the people is `page`. */
const REPOS_PAGE = 'repos'
const CHILDREN_PAGE = 'children'
/** Of each of the lists, whose rows have forms. */
const PER_PAGE = 20

async function loadTeam(visit: Visit) {
  const at = addressedTeam(visit)
  const on = (page: number) => ({ ...at, page, per_page: PER_PAGE })
  const [workspace, team, members, repos, children] = await Promise.all([
    visit.call(getWorkspace, { workspace: at.workspace }),
    visit.call(getTeam, at),
    loadPage(visit, (page) => visit.call(listTeamMembers, on(page))),
    loadPage(visit, (page) => visit.call(listTeamRepos, on(page)), REPOS_PAGE),
    loadPage(visit, (page) => visit.call(listChildTeams, on(page)), CHILDREN_PAGE),
  ])
  return { workspace, team, members, repos, children }
}

type TeamData = Awaited<ReturnType<typeof loadTeam>>
type TeamMember = TeamData['members']['items'][number]
type TeamRepo = TeamData['repos']['items'][number]

/** The message of a refusal, for the form with this field. */
const errorOf = (visit: Visit, field: string): { field: string | null; form: string | null } =>
  visit.form.values.has(field)
    ? { field: fieldError(visit, field), form: formError(visit, field) }
    : { field: null, form: null }

type Props = { visit: Visit; workspace: Workspace; team: Team }

const TeamFacts = ({
  visit,
  workspace,
  team,
  childTeams,
}: Props & { childTeams: ListPage<Team> }) => (
  <>
    <SideBlock title={t('Mention')}>
      <p class="mono">
        @{workspace.slug}/{team.slug}
      </p>
    </SideBlock>
    {team.parent && (
      <SideBlock title={t('Parent team')}>
        <p>
          <a href={teamPath(workspace.slug, team.parent.slug)}>{team.parent.name}</a>
        </p>
      </SideBlock>
    )}
    {childTeams.items.length > 0 && (
      <SideBlock title={t('Child teams')}>
        <ul class="plain-list">
          {childTeams.items.map((child) => (
            <li>
              <a href={teamPath(workspace.slug, child.slug)}>{child.name}</a>
            </li>
          ))}
        </ul>
        <RowSteps
          list={childTeams}
          here={onSamePage(visit, pathOfTeam(team), 'page', REPOS_PAGE)}
          name={CHILDREN_PAGE}
          label={t('Child teams')}
        />
      </SideBlock>
    )}
    <SideBlock title={t('Reviews')}>
      <p class="muted">
        {team.review_assignment.enabled
          ? team.review_assignment.algorithm === 'round_robin'
            ? t('Picks {count} in turn', { count: team.review_assignment.count })
            : t('Picks {count} by load', { count: team.review_assignment.count })
          : t('Requests a review from everyone in the team')}
      </p>
    </SideBlock>
  </>
)

const MemberRow = ({
  visit,
  team,
  member: { user, role, added_at },
}: {
  visit: Visit
  team: Team
  member: TeamMember
}) => (
  <Row
    mark={<Avatar of={user} size={32} />}
    title={<a href={userPath(user.username)}>{user.name ?? user.username}</a>}
    meta={
      <>
        {user.name !== null && <span>{user.username}</span>}
        <span>{rich('Since {time}', { time: <RelativeTime at={added_at} /> })}</span>
      </>
    }
    end={
      <>
        <Badge tone={role === 'maintainer' ? 'info' : 'plain'}>
          {role === 'maintainer' ? t('Maintainer') : t('Member')}
        </Badge>
        {team.can_manage && (
          <ActionButton
            action={pathOfTeam(team, '/members')}
            csrf={visit.csrf}
            values={{
              username: user.username,
              role: role === 'maintainer' ? 'member' : 'maintainer',
            }}
          >
            <Button small>{role === 'maintainer' ? t('Make member') : t('Make maintainer')}</Button>
          </ActionButton>
        )}
        {(team.can_manage || user.id === visit.viewer?.id) && (
          <ActionButton
            action={pathOfTeam(team, '/members/remove')}
            csrf={visit.csrf}
            values={{ username: user.username }}
          >
            <Button small variant="danger">
              {user.id === visit.viewer?.id ? t('Leave') : t('Remove')}
            </Button>
          </ActionButton>
        )}
      </>
    }
  />
)

const AddMember = ({ visit, team }: { visit: Visit; team: Team }) => {
  const error = errorOf(visit, 'username')
  return (
    <Form
      action={pathOfTeam(team, '/members')}
      csrf={visit.csrf}
      inline
      error={error.form}
      label={t('Add a collaborator')}
    >
      <Field
        name="username"
        label={t('Username')}
        required
        mono
        value={visit.form.values.text('username')}
        error={error.field}
      />
      <Button icon="plus">{t('Add member')}</Button>
    </Form>
  )
}

const RepoRow = ({ visit, workspace, team, repo }: Props & { repo: TeamRepo }) => (
  <Row
    title={<a href={repoPath(repo.full_name)}>{repo.full_name}</a>}
    meta={
      repo.inherited_from === null ? undefined : (
        <span>
          {rich('from the team {inherited_from}', {
            inherited_from: (
              <a href={teamPath(workspace.slug, repo.inherited_from)}>{repo.inherited_from}</a>
            ),
          })}
        </span>
      )
    }
    end={
      <>
        {repo.private && <Badge icon="lock">{t('Private')}</Badge>}
        <Badge tone={repo.role === 'admin' ? 'info' : 'plain'}>{roleWord(repo.role)}</Badge>
        {repo.inherited_from === null && workspace.role === 'owner' && (
          <ActionButton
            action={pathOfTeam(team, '/repos/remove')}
            csrf={visit.csrf}
            values={{ repo: repo.full_name }}
          >
            <Button small variant="danger">
              {t('Remove')}
            </Button>
          </ActionButton>
        )}
      </>
    }
  />
)

const AddRepo = ({ visit, workspace, team }: Props) => {
  const error = errorOf(visit, 'repo')
  return (
    <Form
      action={pathOfTeam(team, '/repos')}
      csrf={visit.csrf}
      inline
      error={error.form}
      label={t('Give a role on a repository')}
    >
      <Field
        name="repo"
        label={t('Repository')}
        required
        mono
        placeholder={t('{slug}/name', { slug: workspace.slug })}
        value={visit.form.values.text('repo')}
        error={error.field}
      />
      <Select
        name="role"
        label={t('Role')}
        required
        options={roleOptions()}
        value={visit.form.values.optional('role') ?? 'write'}
      />
      <Button icon="plus">{t('Add repository')}</Button>
    </Form>
  )
}

export const teamPage = page({
  path: '/:workspace/-/teams/:team',
  load: loadTeam,
  view: ({ workspace, team, members, repos, children }, visit) => (
    <TeamFrame
      visit={visit}
      workspace={workspace}
      team={team}
      title={`${team.name} · ${workspace.name}`}
      actions={
        team.can_manage ? (
          <LinkButton href={pathOfTeam(team, '/settings')} icon="settings">
            {t('Settings')}
          </LinkButton>
        ) : undefined
      }
    >
      <Columns
        where="right"
        side={<TeamFacts visit={visit} workspace={workspace} team={team} childTeams={children} />}
      >
        {members.items.length > 0 ? (
          <List label={t('People')} head={<h2>{t('People')}</h2>}>
            {members.items.map((member) => (
              <MemberRow visit={visit} team={team} member={member} />
            ))}
          </List>
        ) : (
          <EmptyState icon="users" title={t('No members yet')}>
            {team.can_manage
              ? t('Add the first one below.')
              : t('Owners of the workspace add members.')}
          </EmptyState>
        )}
        <RowSteps
          list={members}
          here={onSamePage(visit, pathOfTeam(team), REPOS_PAGE, CHILDREN_PAGE)}
          label={t('People')}
        />
        {team.can_manage && <AddMember visit={visit} team={team} />}
        {repos.items.length === 0 ? (
          <EmptyState icon="repo" title={t('No repositories yet')}>
            {t('Admins of a repository give the team a role on it.')}
          </EmptyState>
        ) : (
          <List label={t('Repositories')} head={<h2>{t('Repositories')}</h2>}>
            {repos.items.map((repo) => (
              <RepoRow visit={visit} workspace={workspace} team={team} repo={repo} />
            ))}
          </List>
        )}
        <RowSteps
          list={repos}
          here={onSamePage(visit, pathOfTeam(team), 'page', CHILDREN_PAGE)}
          name={REPOS_PAGE}
          label={t('Repositories')}
        />
        <AddRepo visit={visit} workspace={workspace} team={team} />
      </Columns>
    </TeamFrame>
  ),
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
      ...addressedTeam(visit),
      username: fields.text('username').trim().replace(/^@/, ''),
      role,
    })
    return redirectWithFlash(visit, addressedPath(visit), 'saved')
  },
})

export const removeTeamMemberForm = action({
  path: '/:workspace/-/teams/:team/members/remove',
  submit: async (visit, fields) => {
    const username = fields.text('username')
    await visit.call(removeTeamMember, { ...addressedTeam(visit), username })
    return redirectWithFlash(
      visit,
      username === visit.viewer?.username
        ? workspacePath(addressedTeam(visit).workspace, 'teams')
        : addressedPath(visit),
      'member-removed',
    )
  },
})

export const setTeamRepoForm = action({
  path: '/:workspace/-/teams/:team/repos',
  page: teamPage,
  submit: async (visit, fields) => {
    const repo = fields.text('repo').trim()
    // A name that does not exist is an error of its field, not a 404.
    if ((await visit.tryCall(getRepo, { repo })) === null)
      throw invalid('repo', t('There is no repository {repo}.', { repo }))
    await visit.call(setTeamRepo, {
      ...addressedTeam(visit),
      repo,
      role: roleOf(fields.text('role')),
    })
    return redirectWithFlash(visit, addressedPath(visit), 'saved')
  },
})

export const removeTeamRepoForm = action({
  path: '/:workspace/-/teams/:team/repos/remove',
  submit: async (visit, fields) => {
    await visit.call(removeTeamRepo, { ...addressedTeam(visit), repo: fields.text('repo') })
    return redirectWithFlash(visit, addressedPath(visit), 'saved')
  },
})
