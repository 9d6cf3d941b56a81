// The teams that work on the findings of a workspace, on its page of findings.
import {
  listSecurityManagers,
  removeSecurityManager,
  setSecurityManager,
} from '#features/security/index.ts'
import type { Team } from '#features/teams/index.ts'
import type { Workspace } from '#features/workspaces/index.ts'
import {
  ActionButton,
  Button,
  Card,
  Form,
  FormActions,
  Icon,
  List,
  Row,
} from '../../components/index.ts'
import { teamPath } from '../../paths.ts'
import { action, redirectWithFlash, type Page, type Visit } from '../../site.ts'
import { t, tn } from '../../text.ts'
import { fieldError, formError } from '../shell.tsx'
import { loadPickableTeams, TeamPicker, type PickableTeams } from '../workspaces/team-picker.tsx'

export type Managers = {
  readonly teams: readonly Team[]
  /** Teams that an owner can add; null for others. */
  readonly choices: PickableTeams | null
}

export const workspaceSecurityPath = (workspace: string): string =>
  `/${encodeURIComponent(workspace)}/-/security`

export async function loadManagers(visit: Visit, workspace: Workspace): Promise<Managers> {
  const { items: teams } = await visit.call(listSecurityManagers, { workspace: workspace.slug })
  if (workspace.role !== 'owner') return { teams, choices: null }
  const named = new Set(teams.map(({ slug }) => slug))
  const choices = await loadPickableTeams(visit, workspace.slug, ({ slug }) => !named.has(slug))
  return { teams, choices }
}

type Props = { visit: Visit; workspace: Workspace; managers: Managers }

const AddForm = ({ visit, workspace, managers: { choices } }: Props) => {
  if (choices === null) return null
  if (choices.items.length === 0 && choices.q === null)
    return (
      <p>
        <a href={`/${workspace.slug}/-/teams`}>{t('Create a team')}</a>
      </p>
    )
  return (
    <Form
      action={`${workspaceSecurityPath(workspace.slug)}/managers/add`}
      csrf={visit.csrf}
      error={formError(visit, 'team')}
    >
      <TeamPicker
        name="team"
        label={t('Team')}
        value={visit.form.values.text('team')}
        error={fieldError(visit, 'team')}
        teams={choices}
      />
      <FormActions>
        <Button>{t('Add team')}</Button>
      </FormActions>
    </Form>
  )
}

export const ManagersCard = ({ visit, workspace, managers }: Props) => (
  <Card title={t('Security managers')}>
    <p>
      {t('The people of these teams read and work on the findings of every repository here.')}
      {managers.teams.length === 0 && <> {t('No team is named yet, so owners do this work.')}</>}
    </p>
    {managers.teams.length > 0 && (
      <List label={t('Security managers')}>
        {managers.teams.map((team) => (
          <Row
            mark={<Icon name="users" />}
            title={
              <a class="row-link" href={teamPath(workspace.slug, team.slug)}>
                {team.name}
              </a>
            }
            meta={<span>{tn('{count} member', '{count} members', team.members_count)}</span>}
            end={
              managers.choices !== null && (
                <ActionButton
                  action={`${workspaceSecurityPath(workspace.slug)}/managers/remove`}
                  csrf={visit.csrf}
                  values={{ team: team.slug }}
                >
                  <Button small>{t('Remove')}</Button>
                </ActionButton>
              )
            }
          />
        ))}
      </List>
    )}
    <AddForm visit={visit} workspace={workspace} managers={managers} />
  </Card>
)

/** The forms of the card on a page. */
export const managerForms = (page: Page) =>
  (['add', 'remove'] as const).map((kind) =>
    action({
      path: `/:workspace/-/security/managers/${kind}`,
      page,
      submit: async (visit, fields) => {
        const workspace = visit.params.workspace ?? ''
        const input = { workspace, team: fields.text('team') }
        await visit.call<unknown, unknown>(
          kind === 'add' ? setSecurityManager : removeSecurityManager,
          input,
        )
        return redirectWithFlash(
          visit,
          workspaceSecurityPath(workspace),
          kind === 'add' ? 'security-manager-added' : 'security-manager-removed',
        )
      },
    }),
  )
