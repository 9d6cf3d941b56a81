// The settings of a team: name, parent, review assignment, deletion.
import {
  deleteTeam,
  getTeam,
  setReviewAssignment,
  updateTeam,
  type Team,
} from '#features/teams/index.ts'
import { getWorkspace } from '#features/workspaces/index.ts'
import {
  ActionButton,
  Button,
  Card,
  Checkbox,
  Field,
  Form,
  FormActions,
  LinkButton,
  Radio,
  FieldSet,
} from '../../components/index.ts'
import { workspacePath } from '../../paths.ts'
import { action, redirectWithFlash, form, page, type Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import type { PickableTeams } from './team-picker.tsx'
import { loadParents, ParentPicker } from './teams.tsx'
import { addressedTeam, pathOfTeam, TeamFrame } from './team-frame.tsx'
import { rich, t } from '../../text.ts'

type Props = { visit: Visit; team: Team }

/** The typed value of a field when the form was refused, else the stored one. */
const typedOr = ({ form: { values } }: Visit, name: string, stored: string): string =>
  values.has(name) ? values.text(name) : stored

const GeneralCard = ({ visit, team, parents }: Props & { parents: PickableTeams }) => {
  const typed = visit.form.values
  const wasSent = typed.has('name')
  return (
    <Card title={t('General')}>
      <Form
        action={pathOfTeam(team, '/settings')}
        csrf={visit.csrf}
        error={wasSent ? formError(visit, 'name', 'description', 'parent') : null}
      >
        <Field
          name="name"
          label={t('Name')}
          required
          maxlength={80}
          value={typedOr(visit, 'name', team.name)}
          error={wasSent ? fieldError(visit, 'name') : null}
        />
        <Field
          name="description"
          label={t('Description')}
          maxlength={350}
          value={typedOr(visit, 'description', team.description)}
          error={wasSent ? fieldError(visit, 'description') : null}
        />
        <ParentPicker
          visit={visit}
          parents={parents}
          chosen={team.parent}
          value={typedOr(visit, 'parent', team.parent?.slug ?? '')}
        />
        <Checkbox
          name="secret"
          label={t('Secret')}
          hint={t(
            'Only its members and owners of the workspace see it. It has no parent and no child teams.',
          )}
          checked={wasSent ? typed.ticked('secret') : team.visibility === 'secret'}
        />
        <Checkbox
          name="notify"
          label={t('A mention of the team notifies every member')}
          checked={wasSent ? typed.ticked('notify') : team.notify}
        />
        <FormActions>
          <Button variant="primary">{t('Save')}</Button>
        </FormActions>
      </Form>
    </Card>
  )
}

const AlgorithmChoice = ({ visit, team }: Props) => {
  const algorithm = typedOr(visit, 'algorithm', team.review_assignment.algorithm)
  return (
    <FieldSet legend={t('Assignment method')}>
      <Radio
        name="algorithm"
        value="round_robin"
        label={t('Round robin: the member whose last request is the oldest')}
        checked={algorithm === 'round_robin'}
      />
      <Radio
        name="algorithm"
        value="load_balance"
        label={t('Load balance: the member with the fewest open requests')}
        checked={algorithm === 'load_balance'}
      />
    </FieldSet>
  )
}

const BusyFields = ({ visit, team }: Props) => {
  const typed = visit.form.values
  const wasSent = typed.has('algorithm')
  const { review_assignment: assignment } = team
  return (
    <>
      <Checkbox
        name="skip_busy"
        label={t('Skip busy members')}
        checked={wasSent ? typed.ticked('skip_busy') : assignment.skip_busy}
      />
      <Field
        name="busy_at"
        label={t('Open requests from which a member counts as busy')}
        type="number"
        required
        min={1}
        max={100}
        value={typedOr(visit, 'busy_at', String(assignment.busy_at))}
        error={wasSent ? fieldError(visit, 'busy_at') : null}
      />
    </>
  )
}

const ReviewAssignmentCard = ({ visit, team }: Props) => {
  const typed = visit.form.values
  const wasSent = typed.has('algorithm')
  const { review_assignment: assignment } = team
  return (
    <Card title={t('Review assignment')} id="reviews">
      <Form
        action={pathOfTeam(team, '/settings/reviews')}
        csrf={visit.csrf}
        error={wasSent ? formError(visit, 'count', 'busy_at', 'excluded') : null}
      >
        <Checkbox
          name="enabled"
          label={t('Request the team’s reviews from some members only')}
          hint={t('Without it, a request for the team’s review is a request to every member.')}
          checked={wasSent ? typed.ticked('enabled') : assignment.enabled}
        />
        <AlgorithmChoice team={team} visit={visit} />
        <Field
          name="count"
          label={t('Number of reviewers')}
          type="number"
          required
          min={1}
          max={10}
          value={typedOr(visit, 'count', String(assignment.count))}
          error={wasSent ? fieldError(visit, 'count') : null}
        />
        <BusyFields visit={visit} team={team} />
        <Checkbox
          name="include_child_teams"
          label={t('Include members of child teams')}
          checked={wasSent ? typed.ticked('include_child_teams') : assignment.include_child_teams}
        />
        <Field
          name="excluded"
          label={t('Members who are never assigned')}
          mono
          hint={t('Usernames, separated by spaces.')}
          value={typedOr(visit, 'excluded', assignment.excluded.join(' '))}
          error={
            wasSent && visit.form.error?.field?.startsWith('excluded')
              ? visit.form.error.message
              : null
          }
        />
        <Checkbox
          name="notify_team"
          label={t('Notify the other members, too')}
          checked={wasSent ? typed.ticked('notify_team') : assignment.notify_team}
        />
        <FormActions>
          <Button variant="primary">{t('Save')}</Button>
        </FormActions>
      </Form>
    </Card>
  )
}

const DeleteCard = ({ visit, team }: Props) => (
  <Card title={t('Delete team')} tone="bad">
    <p>{t('The roles that it gives end, and its child teams become top level.')}</p>
    <ActionButton action={pathOfTeam(team, '/delete')} csrf={visit.csrf}>
      <Button variant="danger">{rich('Delete {name}', { name: team.name })}</Button>
    </ActionButton>
  </Card>
)

export const teamSettingsPage = page({
  path: '/:workspace/-/teams/:team/settings',
  load: async (visit) => {
    const at = addressedTeam(visit)
    const [workspace, team] = await Promise.all([
      visit.call(getWorkspace, { workspace: at.workspace }),
      visit.call(getTeam, at),
    ])
    return team.can_manage
      ? { workspace, team, parents: await loadParents(visit, at.workspace, team.slug) }
      : null
  },
  view: ({ workspace, team, parents }, visit) => (
    <TeamFrame
      visit={visit}
      workspace={workspace}
      team={team}
      title={t('Settings of {name}', { name: team.name })}
      actions={<LinkButton href={pathOfTeam(team)}>{t('Back to the team')}</LinkButton>}
    >
      <GeneralCard visit={visit} team={team} parents={parents} />
      <ReviewAssignmentCard visit={visit} team={team} />
      <DeleteCard visit={visit} team={team} />
    </TeamFrame>
  ),
})

export const updateTeamForm = form({
  path: '/:workspace/-/teams/:team/settings',
  page: teamSettingsPage,
  operation: updateTeam,
  input: (fields, visit) => ({
    ...addressedTeam(visit),
    name: fields.text('name'),
    description: fields.text('description'),
    parent: fields.optional('parent') ?? null,
    visibility: fields.ticked('secret') ? ('secret' as const) : ('visible' as const),
    notify: fields.ticked('notify'),
  }),
  done: (team, visit) => redirectWithFlash(visit, pathOfTeam(team, '/settings'), 'saved'),
})

export const reviewAssignmentForm = form({
  path: '/:workspace/-/teams/:team/settings/reviews',
  page: teamSettingsPage,
  operation: setReviewAssignment,
  input: (fields, visit) => ({
    ...addressedTeam(visit),
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
  done: (team, visit) => redirectWithFlash(visit, pathOfTeam(team, '/settings'), 'saved'),
})

export const deleteTeamForm = action({
  path: '/:workspace/-/teams/:team/delete',
  submit: async (visit) => {
    await visit.call(deleteTeam, addressedTeam(visit))
    return redirectWithFlash(
      visit,
      workspacePath(addressedTeam(visit).workspace, 'teams'),
      'team-deleted',
    )
  },
})
