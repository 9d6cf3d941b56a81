import {
  acceptRepoInvitation,
  declineRepoInvitation,
  listMyRepoInvitations,
} from '#features/collaborators/index.ts'
import {
  acceptWorkspaceInvite,
  declineWorkspaceInvite,
  listMyWorkspaceInvites,
  type Invitations,
} from '#features/workspaces/index.ts'
import type { Static } from '#core/schema.ts'
import {
  Button,
  ButtonGroup,
  Card,
  EmptyState,
  Form,
  LinkButton,
  List,
  Notice,
  PageHead,
  RelativeTime,
  Row,
} from '../components/index.ts'
import { repoPath, withQuery, workspacePath } from '../paths.ts'
import { action, redirectWithFlash, page, type Visit } from '../site.ts'
import { pageOfRows, RowSteps } from './row-form.tsx'
import { formError, Shell } from './shell.tsx'
import { rich, t } from '../text.ts'

type Invitation = Static<typeof Invitations>['items'][number]

const pathOf = (id: string): string => `/invite/${encodeURIComponent(id)}`
const placeOf = ({ workspace, repository }: Invitation): string =>
  repository?.full_name ?? workspace
const roleText = ({ kind, role }: Invitation): string =>
  kind === 'repository'
    ? t('a collaborator with the role {role}', { role })
    : role === 'owner'
      ? t('an owner')
      : t('a member')

const LISTS = [listMyWorkspaceInvites, listMyRepoInvitations] as const

/** The invitations that the visitor can answer, a hundred of each kind at most. */
export async function invitationsTo(visit: Visit): Promise<Invitation[]> {
  if (visit.viewer === null) return []
  const lists = await Promise.all(LISTS.map((list) => visit.call(list, { per_page: 100 })))
  return lists.flatMap(({ items }) => items)
}

/** One of them, however many there are. */
async function findInvitation(visit: Visit, id: string): Promise<Invitation | null> {
  if (visit.viewer === null) return null
  for (const list of LISTS)
    for (let next: string | null = '1'; next !== null; ) {
      const found: { items: Invitation[]; next: string | null } = await visit.call(list, {
        page: Number(next),
        per_page: 100,
      })
      const invitation = found.items.find((one) => one.id === id)
      if (invitation) return invitation
      next = found.next
    }
  return null
}

/** Of the list on the start page. */
const PER_PAGE = 10

const Answer = ({
  visit,
  invitation,
  small,
}: {
  visit: Visit
  invitation: Invitation
  small?: boolean
}) => (
  <Form
    action={pathOf(invitation.id)}
    csrf={visit.csrf}
    inline
    error={small ? null : formError(visit)}
    label={t('Invitation to {invitation}', { invitation: placeOf(invitation) })}
  >
    <ButtonGroup label={t('Answer')}>
      <Button variant="primary" small={small} name="decision" value="accept">
        {t('Accept')}
      </Button>
      <Button small={small} name="decision" value="decline">
        {t('Decline')}
      </Button>
    </ButtonGroup>
  </Form>
)

/** The list for the start page. Nothing without invitations. */
export const InvitationsForYou = ({
  visit,
  invitations,
}: {
  visit: Visit
  invitations: readonly Invitation[]
}) => {
  const list = pageOfRows(visit, invitations, PER_PAGE, 'invitations')
  return list.items.length === 0 ? null : (
    <>
      <List label={t('Invitations for you')} head={<h2>{t('Invitations for you')}</h2>}>
        {list.items.map((invitation) => (
          <Row
            title={<a href={pathOf(invitation.id)}>{placeOf(invitation)}</a>}
            meta={
              <>
                <span>
                  {rich('{username} invited you as {invitation}', {
                    username: invitation.invited_by?.username ?? 'Hearth',
                    invitation: roleText(invitation),
                  })}
                </span>
                <RelativeTime at={invitation.created_at} />
              </>
            }
            end={<Answer visit={visit} invitation={invitation} small />}
          />
        ))}
      </List>
      <RowSteps list={list} here="/" name="invitations" label={t('Invitations for you')} />
    </>
  )
}

/** Anonymous visitors learn nothing here, whatever the id is. */
const NoInvitation = ({ error }: { error: string | null }) => (
  <>
    {error !== null && <Notice kind="bad">{error}</Notice>}
    <EmptyState
      icon="mail"
      title={t('No open invitation')}
      actions={<LinkButton href="/">{t('Go to your dashboard')}</LinkButton>}
    >
      {t(
        'This invitation was answered, revoked or has expired, or it is for another account. Your account must have the invited address, confirmed.',
      )}
    </EmptyState>
  </>
)

export const invitationPage = page({
  path: '/invite/:id',
  load: async (visit) => {
    const id = visit.params.id ?? ''
    const invitation = await findInvitation(visit, id)
    return { id, invitation, code: visit.url.searchParams.get('code') }
  },
  view: ({ id, invitation, code }, visit) => (
    <Shell visit={visit} title={t('Invitation')} width="narrow" noindex>
      {visit.viewer === null ? (
        <>
          <PageHead
            title={t('You are invited')}
            lead={t('Sign in to accept or decline the invitation.')}
          />
          <Card>
            <ButtonGroup label={t('Continue')}>
              <LinkButton href={withQuery('/login', { next: pathOf(id) })} variant="primary">
                {t('Sign in')}
              </LinkButton>
              {code !== null && (
                <LinkButton href={withQuery('/register', { invite: code })}>
                  {t('Create an account')}
                </LinkButton>
              )}
            </ButtonGroup>
            {code !== null && (
              <p class="muted">
                {t(
                  'A new account must have the invited address. Confirm it, then the invitation is on your dashboard.',
                )}
              </p>
            )}
          </Card>
        </>
      ) : invitation ? (
        <>
          <PageHead
            title={t('Join {invitation}', { invitation: placeOf(invitation) })}
            lead={t('{username} invited you as {invitation}.', {
              username: invitation.invited_by?.username ?? 'Hearth',
              invitation: roleText(invitation),
            })}
          />
          <Card>
            <Answer visit={visit} invitation={invitation} />
            <p class="muted">
              {rich('Sent {time}; it works for 7 days.', {
                time: <RelativeTime at={invitation.created_at} />,
              })}
            </p>
          </Card>
        </>
      ) : (
        <NoInvitation error={visit.form.error?.message ?? null} />
      )}
    </Shell>
  ),
})

export const answerInvitationForm = action({
  path: '/invite/:id',
  page: invitationPage,
  submit: async (visit, fields) => {
    const id = visit.params.id ?? ''
    const kind = (await findInvitation(visit, id))?.kind ?? 'workspace'
    if (fields.text('decision') !== 'accept') {
      await (kind === 'workspace'
        ? visit.call(declineWorkspaceInvite, { id })
        : visit.call(declineRepoInvitation, { id }))
      return redirectWithFlash(visit, '/', 'invitation-declined')
    }
    const accepted = await (kind === 'workspace'
      ? visit.call(acceptWorkspaceInvite, { id })
      : visit.call(acceptRepoInvitation, { id }))
    return redirectWithFlash(
      visit,
      accepted.repository
        ? repoPath(accepted.repository.full_name)
        : workspacePath(accepted.workspace),
      'invitation-accepted',
    )
  },
})
