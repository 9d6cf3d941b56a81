// Invitations to a workspace, and its outside collaborators.
import type { OutsideCollaborators } from '#features/collaborators/index.ts'
import type { Invitations } from '#features/workspaces/index.ts'
import type { Static } from '#core/schema.ts'
import {
  Avatar,
  Badge,
  Button,
  ActionButton,
  Card,
  Field,
  Form,
  FormActions,
  List,
  RelativeTime,
  Row,
  Select,
} from '../../components/index.ts'
import { repoPath, userPath, workspacePath } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { sendsMail } from '../accounts/sends-mail.ts'
import { fieldError, formError } from '../shell.tsx'
import { roleWord, stateWord } from '../../messages.ts'
import { rich, t } from '../../text.ts'

type Invitation = Static<typeof Invitations>['items'][number]

export const InviteMember = ({ visit, workspace }: { visit: Visit; workspace: string }) => (
  <Card title={t('Invite somebody')}>
    <Form
      action={workspacePath(workspace, 'members/invite')}
      csrf={visit.csrf}
      error={formError(visit, 'email', 'role')}
    >
      <Field
        name="email"
        label={t('Email address')}
        type="email"
        required
        hint={
          sendsMail(visit)
            ? t('The mailed link works for 7 days, also for somebody without an account.')
            : rich(
                'This site sends no mail. People with an account find the invitation on their start page; for others create an <a>invite link</a>.',
                { a: (inner) => <a href="/settings/invites">{inner}</a> },
              )
        }
        value={visit.form.values.text('email')}
        error={fieldError(visit, 'email')}
      />
      <Select
        name="role"
        label={t('Role')}
        required
        options={[
          { value: 'member', label: t('Member') },
          { value: 'owner', label: t('Owner') },
        ]}
        value={visit.form.values.optional('role') ?? 'member'}
        error={fieldError(visit, 'role')}
      />
      <FormActions>
        <Button variant="primary" icon="mail">
          {t('Send invitation')}
        </Button>
      </FormActions>
    </Form>
  </Card>
)

/** Invitations with their state. Pending ones can be revoked. */
export const InvitationList = ({
  visit,
  invitations,
  revoke,
}: {
  visit: Visit
  invitations: readonly Invitation[]
  revoke: string
}) =>
  invitations.length === 0 ? null : (
    <List label={t('Invitations')} head={<h2>{t('Invitations')}</h2>}>
      {invitations.map(({ id, email, invitee, role, state, invited_by, created_at }) => (
        <Row
          title={<span>{email ?? invitee?.username}</span>}
          meta={
            <>
              <span>
                {rich('{username} invited', { username: invited_by?.username ?? 'Hearth' })}
              </span>
              <RelativeTime at={created_at} />
              <span>{rich('as {role}', { role: roleWord(role) })}</span>
            </>
          }
          end={
            <>
              <Badge tone={state === 'pending' ? 'wait' : state === 'accepted' ? 'good' : 'plain'}>
                {stateWord(state)}
              </Badge>
              {state === 'pending' && (
                <ActionButton action={revoke} csrf={visit.csrf} values={{ id }}>
                  <Button small variant="danger">
                    {t('Revoke')}
                  </Button>
                </ActionButton>
              )}
            </>
          }
        />
      ))}
    </List>
  )

export const OutsideList = ({
  people,
}: {
  people: Static<typeof OutsideCollaborators>['items']
}) =>
  people.length === 0 ? null : (
    <List label={t('Outside collaborators')} head={<h2>{t('Outside collaborators')}</h2>}>
      {people.map(({ user, repositories, added_at }) => (
        <Row
          mark={<Avatar of={user} size={32} />}
          title={<a href={userPath(user.username)}>{user.name ?? user.username}</a>}
          meta={
            <>
              {repositories.map(({ full_name, role }) => (
                <span>
                  <a href={repoPath(full_name)}>{full_name}</a> {roleWord(role)}
                </span>
              ))}
              <span>{rich('Since {time}', { time: <RelativeTime at={added_at} /> })}</span>
            </>
          }
        />
      ))}
    </List>
  )
