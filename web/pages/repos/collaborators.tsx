import {
  addCollaborator,
  listCollaborators,
  listRepoInvitations,
  removeCollaborator,
  revokeRepoInvitation,
  updateCollaborator,
  type Collaborator,
} from '#features/collaborators/index.ts'
import { getRepo } from '#features/repos/index.ts'
import {
  ActionButton,
  Avatar,
  Badge,
  Button,
  Card,
  Field,
  Form,
  FormActions,
  List,
  PageHead,
  RelativeTime,
  Row,
  Select,
} from '../../components/index.ts'
import { repoPath, teamPath, userPath } from '../../paths.ts'
import { action, redirectWithFlash, form, page, type Visit } from '../../site.ts'
import { loadPage, onSamePage, RowSteps } from '../row-form.tsx'
import { fieldError, formError } from '../shell.tsx'
import { InvitationList } from '../workspaces/invite-members.tsx'
import { repoOf } from './frame.tsx'
import { RepoSettingsFrame } from './settings-frame.tsx'
import { mayProtectMore, StricterProtection } from './stricter-protection.tsx'
import { roleWord } from '../../messages.ts'
import { rich, t, texts } from '../../text.ts'

export const ROLES = ['read', 'triage', 'write', 'maintain', 'admin'] as const
const MEANING: Record<(typeof ROLES)[number], string> = texts({
  read: 'Read: see and clone',
  triage: 'Triage: label, assign, close',
  write: 'Write: push and review',
  maintain: 'Maintain: settings as well',
  admin: 'Admin: everything but deleting',
})
export const roleOptions = () => ROLES.map((value) => ({ value, label: MEANING[value] }))
export const roleOf = (text: string): (typeof ROLES)[number] =>
  ROLES.find((role) => role === text) ?? 'read'

const SOURCE: Record<Collaborator['source'], string> = texts({
  owner: 'owner of the workspace',
  base: 'base permission of the workspace',
  direct: 'given here',
  team: 'through a team',
})

/** The page of the invitations, in the address. That of the people is `page`. */
const INVITATIONS_PAGE = 'invitations'
/** Of each of both lists, whose rows have forms. */
const PER_PAGE = 20

const here = (repo: string): string => repoPath(repo, '/settings/collaborators')

const PersonMeta = ({ repo, person }: { repo: string; person: Collaborator }) => (
  <>
    {person.user.name !== null && <span>{person.username}</span>}
    <span>
      {person.team
        ? rich('through the team {team}', {
            team: <a href={teamPath(repo.split('/')[0] ?? '', person.team)}>{person.team}</a>,
          })
        : SOURCE[person.source]}
    </span>
    <span>{rich('Since {time}', { time: <RelativeTime at={person.added_at} /> })}</span>
  </>
)

const PersonEnd = ({
  visit,
  repo,
  person,
}: {
  visit: Visit
  repo: string
  person: Collaborator
}) => (
  <>
    {!person.member && <Badge tone="wait">{t('Outside')}</Badge>}
    <Badge tone={person.role === 'admin' ? 'info' : 'plain'}>{roleWord(person.role)}</Badge>
    {person.source === 'direct' && (
      <ActionButton
        action={`${here(repo)}/remove`}
        csrf={visit.csrf}
        values={{ username: person.username }}
      >
        <Button small variant="danger">
          {person.user.id === visit.viewer?.id ? t('Leave') : t('Remove')}
        </Button>
      </ActionButton>
    )}
  </>
)

const Person = ({ visit, repo, person }: { visit: Visit; repo: string; person: Collaborator }) => {
  const refused = visit.form.values.text('username') === person.username
  return (
    <Row
      mark={<Avatar of={person.user} size={32} />}
      title={<a href={userPath(person.username)}>{person.user.name ?? person.username}</a>}
      meta={<PersonMeta repo={repo} person={person} />}
      end={<PersonEnd visit={visit} repo={repo} person={person} />}
    >
      {person.source !== 'owner' && (
        <Form
          action={`${here(repo)}/role`}
          csrf={visit.csrf}
          inline
          error={refused ? (visit.form.error?.message ?? null) : null}
          label={t('Role of {username}', { username: person.username })}
        >
          <input type="hidden" name="username" value={person.username} />
          <Select
            name="role"
            label={t('Role of {username}', { username: person.username })}
            hideLabel
            id={`role-${person.user.id}`}
            required
            options={roleOptions()}
            value={person.role}
          />
          <Button small>{t('Change')}</Button>
        </Form>
      )}
    </Row>
  )
}

export const collaboratorsPage = page({
  path: '/:workspace/:repo/settings/collaborators',
  load: async (visit) => {
    const name = repoOf(visit)
    const repo = await visit.call(getRepo, { repo: name })
    if (!repo.permissions.admin) return null
    const people = await loadPage(visit, async (page) => {
      const at = { repo: name, page, per_page: PER_PAGE }
      const { collaborators, next } = await visit.call(listCollaborators, at)
      return { items: collaborators, next }
    })
    const invitations = await loadPage(
      visit,
      (page) => visit.call(listRepoInvitations, { repo: name, page, per_page: PER_PAGE }),
      INVITATIONS_PAGE,
    )
    const offersProtection =
      (people.items.length > 1 || people.page > 1) && (await mayProtectMore(visit, repo))
    return { repo, people, invitations, offersProtection }
  },
  view: ({ repo, people, invitations, offersProtection }, visit) => {
    const path = here(repo.full_name)
    const adding = visit.form.values.has('invitee')
    const title = t('Collaborators')
    return (
      <RepoSettingsFrame visit={visit} repo={repo} title={title} part="collaborators">
        <PageHead
          title={title}
          lead={t('Everyone with a role on this repository, and where it comes from.')}
        />
        {offersProtection && <StricterProtection visit={visit} repo={repo} />}
        <Card title={t('Add a collaborator')}>
          <Form
            action={path}
            csrf={visit.csrf}
            error={adding ? formError(visit, 'invitee', 'role') : null}
          >
            <Field
              name="invitee"
              label={t('Username or email address')}
              required
              hint={t('Members of the workspace have the role at once; others are invited.')}
              value={visit.form.values.text('invitee')}
              error={adding ? fieldError(visit, 'invitee') : null}
            />
            <Select
              name="role"
              label={t('Role')}
              required
              options={roleOptions()}
              value={(adding ? visit.form.values.optional('role') : undefined) ?? 'write'}
              error={adding ? fieldError(visit, 'role') : null}
            />
            <FormActions>
              <Button variant="primary">{t('Add collaborator')}</Button>
            </FormActions>
          </Form>
        </Card>
        <InvitationList visit={visit} invitations={invitations.items} revoke={`${path}/revoke`} />
        <RowSteps
          list={invitations}
          here={onSamePage(visit, path, 'page')}
          name={INVITATIONS_PAGE}
          label={t('Pages of invitations')}
        />
        <List label={t('People')} head={<h2>{t('People')}</h2>}>
          {people.items.map((person) => (
            <Person visit={visit} repo={repo.full_name} person={person} />
          ))}
        </List>
        <RowSteps
          list={people}
          here={onSamePage(visit, path, INVITATIONS_PAGE)}
          label={t('Pages of people')}
        />
      </RepoSettingsFrame>
    )
  },
})

export const addCollaboratorForm = form({
  path: '/:workspace/:repo/settings/collaborators',
  page: collaboratorsPage,
  operation: addCollaborator,
  input: (fields, visit) => ({
    repo: repoOf(visit),
    invitee: fields.text('invitee').trim(),
    role: roleOf(fields.text('role')),
  }),
  done: ({ invitation }, visit) =>
    redirectWithFlash(visit, here(repoOf(visit)), invitation ? 'invitation-sent' : 'saved'),
})

export const setCollaboratorForm = action({
  path: '/:workspace/:repo/settings/collaborators/role',
  page: collaboratorsPage,
  submit: async (visit, fields) => {
    await visit.call(updateCollaborator, {
      repo: repoOf(visit),
      username: fields.text('username'),
      role: roleOf(fields.text('role')),
    })
    return redirectWithFlash(visit, here(repoOf(visit)), 'saved')
  },
})

export const removeCollaboratorForm = action({
  path: '/:workspace/:repo/settings/collaborators/remove',
  submit: async (visit, fields) => {
    const username = fields.text('username')
    await visit.call(removeCollaborator, { repo: repoOf(visit), username })
    return redirectWithFlash(
      visit,
      username === visit.viewer?.username ? '/' : here(repoOf(visit)),
      'collaborator-removed',
    )
  },
})

export const revokeRepoInvitationForm = action({
  path: '/:workspace/:repo/settings/collaborators/revoke',
  submit: async (visit, fields) => {
    await visit.call(revokeRepoInvitation, { repo: repoOf(visit), id: fields.text('id') })
    return redirectWithFlash(visit, here(repoOf(visit)), 'invite-revoked')
  },
})
