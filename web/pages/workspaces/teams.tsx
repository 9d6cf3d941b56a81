import { createTeam, listTeams, type Team } from '#features/teams/index.ts'
import { getWorkspace, type Workspace } from '#features/workspaces/index.ts'
import {
  Badge,
  Button,
  Card,
  Checkbox,
  EmptyState,
  Field,
  Form,
  FormActions,
  LinkButton,
  List,
  PageHead,
  Row,
} from '../../components/index.ts'
import { teamPath, withQuery, workspacePath } from '../../paths.ts'
import { redirectWithFlash, form, page, type Visit } from '../../site.ts'
import { loadPage, RowSteps } from '../row-form.tsx'
import { fieldError, formError } from '../shell.tsx'
import { WorkspaceFrame } from './frame.tsx'
import {
  loadPickableTeams,
  TeamPicker,
  type PickableTeam,
  type PickableTeams,
} from './team-picker.tsx'
import { rich, t, tn } from '../../text.ts'

const PER_PAGE = 50

const slugOf = (visit: Visit): string => visit.params.workspace ?? ''

const TeamRow = ({ team, workspace }: { team: Team; workspace: Workspace }) => (
  <Row
    title={<a href={teamPath(workspace.slug, team.slug)}>{team.name}</a>}
    meta={
      <>
        <span class="mono">
          @{workspace.slug}/{team.slug}
        </span>
        <span>{tn('{count} person', '{count} people', team.members_count)}</span>
        <span>{tn('{count} repository', '{count} repositories', team.repos_count)}</span>
        {team.parent && (
          <span>
            {rich('child team of {name}', {
              name: <a href={teamPath(workspace.slug, team.parent.slug)}>{team.parent.name}</a>,
            })}
          </span>
        )}
      </>
    }
    end={
      <>
        {team.visibility === 'secret' && <Badge icon="lock">{t('Secret')}</Badge>}
        {team.viewer_role && (
          <Badge tone={team.viewer_role === 'maintainer' ? 'info' : 'plain'}>
            {team.viewer_role === 'maintainer' ? t('Maintainer') : t('Member')}
          </Badge>
        )}
      </>
    }
  >
    {team.description && (
      <p class="muted">
        <bdi>{team.description}</bdi>
      </p>
    )}
  </Row>
)

const NoTeams = ({ here, q, mayMake }: { here: string; q: string; mayMake: boolean }) =>
  q === '' ? (
    <EmptyState icon="users" title={t('No teams yet')}>
      {mayMake
        ? t('Create a team to give several people a role on repositories at once.')
        : t('Owners of the workspace create teams.')}
    </EmptyState>
  ) : (
    <EmptyState
      icon="users"
      title={t('Nothing matches “{q}”', { q })}
      actions={<LinkButton href={here}>{t('Clear filters')}</LinkButton>}
    />
  )

const FindTeam = ({ here, q }: { here: string; q: string }) => (
  <Form action={here} method="get" inline label={t('Find a team')}>
    <input
      class="input"
      type="search"
      name="q"
      value={q}
      aria-label={t('Name')}
      placeholder={t('Name')}
    />
    <Button>{t('Find')}</Button>
  </Form>
)

export const teamsPage = page({
  path: '/:workspace/-/teams',
  load: async (visit) => {
    const q = visit.url.searchParams.get('q') ?? ''
    const [workspace, teams] = await Promise.all([
      visit.call(getWorkspace, { workspace: slugOf(visit) }),
      loadPage(visit, (page) =>
        visit.call(listTeams, {
          workspace: slugOf(visit),
          ...(q ? { q } : {}),
          page,
          per_page: PER_PAGE,
        }),
      ),
    ])
    return { workspace, teams, q }
  },
  view: ({ workspace, teams, q }, visit) => {
    const here = workspacePath(workspace.slug, 'teams')
    const mayMake = workspace.role === 'owner' || workspace.team_creation === 'members'
    return (
      <WorkspaceFrame
        visit={visit}
        workspace={workspace}
        title={t('Teams of {name}', { name: workspace.name })}
        current="teams"
      >
        <PageHead
          title={t('Teams')}
          lead={t(
            'Groups of people that have roles on repositories, are mentioned by one name, and review pull requests.',
          )}
          actions={
            mayMake ? (
              <LinkButton
                href={workspacePath(workspace.slug, 'new-team')}
                variant="primary"
                icon="plus"
              >
                {t('New team')}
              </LinkButton>
            ) : undefined
          }
        />
        {(teams.items.length > 0 || q !== '') && <FindTeam here={here} q={q} />}
        {teams.items.length === 0 ? (
          <NoTeams here={here} q={q} mayMake={mayMake} />
        ) : (
          <List label={t('Teams')}>
            {teams.items.map((team) => (
              <TeamRow team={team} workspace={workspace} />
            ))}
          </List>
        )}
        <RowSteps list={teams} here={withQuery(here, { q })} label={t('Pages of teams')} />
      </WorkspaceFrame>
    )
  },
})

/** The possible parents: teams that the viewer manages, because a child inherits their rights. */
export const loadParents = (
  visit: Visit,
  workspace: string,
  except?: string,
): Promise<PickableTeams> =>
  loadPickableTeams(
    visit,
    workspace,
    (team) => team.can_manage && team.visibility === 'visible' && team.slug !== except,
  )

export const ParentPicker = ({
  visit,
  parents,
  value,
  chosen,
}: {
  visit: Visit
  parents: PickableTeams
  value: string
  chosen?: PickableTeam | null | undefined
}) => (
  <TeamPicker
    name="parent"
    label={t('Parent team')}
    none={t('No parent team')}
    teams={parents}
    chosen={chosen}
    hint={t('It inherits the roles of its parent team.')}
    value={value}
    error={fieldError(visit, 'parent')}
  />
)

const slugHint = (): string =>
  t('For mentions; made from the name when left empty. It stays when the name changes.')

export const newTeamPage = page({
  path: '/:workspace/-/new-team',
  load: async (visit) => {
    const workspace = await visit.call(getWorkspace, { workspace: slugOf(visit) })
    return { workspace, parents: await loadParents(visit, workspace.slug) }
  },
  view: ({ workspace, parents }, visit) => {
    const typed = visit.form.values
    return (
      <WorkspaceFrame visit={visit} workspace={workspace} title={t('New team')} current="teams">
        <PageHead title={t('New team')} />
        <Card>
          <Form
            action={workspacePath(workspace.slug, 'new-team')}
            csrf={visit.csrf}
            error={formError(visit, 'name', 'slug', 'description', 'parent', 'visibility')}
          >
            <Field
              name="name"
              label={t('Name')}
              required
              maxlength={80}
              autofocus
              value={typed.text('name')}
              error={fieldError(visit, 'name')}
            />
            <Field
              name="slug"
              label={t('Slug')}
              mono
              maxlength={39}
              hint={slugHint()}
              value={typed.text('slug')}
              error={fieldError(visit, 'slug')}
            />
            <Field
              name="description"
              label={t('Description')}
              maxlength={350}
              value={typed.text('description')}
              error={fieldError(visit, 'description')}
            />
            {(parents.items.length > 0 || parents.q !== null) && (
              <ParentPicker visit={visit} parents={parents} value={typed.text('parent')} />
            )}
            <Checkbox
              name="secret"
              label={t('Secret')}
              hint={t(
                'Only its members and owners of the workspace see it. It has no parent and no child teams.',
              )}
              checked={typed.ticked('secret')}
            />
            <FormActions>
              <Button variant="primary">{t('Create team')}</Button>
            </FormActions>
          </Form>
        </Card>
      </WorkspaceFrame>
    )
  },
})

export const newTeamForm = form({
  path: '/:workspace/-/new-team',
  page: newTeamPage,
  operation: createTeam,
  input: (fields, visit) => ({
    workspace: slugOf(visit),
    name: fields.text('name'),
    slug: fields.optional('slug'),
    description: fields.text('description'),
    parent: fields.optional('parent') ?? null,
    visibility: fields.ticked('secret') ? ('secret' as const) : ('visible' as const),
  }),
  done: (team, visit) => redirectWithFlash(visit, teamPath(team.workspace, team.slug), 'team-made'),
})
