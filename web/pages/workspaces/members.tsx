import { listOutsideCollaborators } from '#features/collaborators/index.ts'
import {
  getWorkspace,
  listMembers,
  listWorkspaceInvites,
  removeMember,
  updateMember,
  type Workspace,
} from '#features/workspaces/index.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Button } from '../../components/button.tsx'
import { ActionButton } from '../../components/form.tsx'
import { PageHead } from '../../components/layout.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Badge } from '../../components/state.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { userPath, workspacePath } from '../../paths.ts'
import { action, redirectWithFlash, page, type OutputOf, type Visit } from '../../site.ts'
import { loadPage, onSamePage, RowSteps } from '../row-form.tsx'
import { WorkspaceFrame } from './frame.tsx'
import { InvitationList, InviteMember, OutsideList } from './invite-members.tsx'
import { rich, t } from '../../text.ts'

type Member = OutputOf<typeof listMembers>['items'][number]

/** `lastOwner` when the workspace has no other owner, who then cannot leave or change role. */
const MemberRow = ({
  visit,
  workspace,
  member: { user, role, joined_at },
  lastOwner,
}: {
  visit: Visit
  workspace: Workspace
  member: Member
  lastOwner: boolean
}) => {
  const owner = workspace.role === 'owner'
  const here = workspacePath(workspace.slug, 'members')
  const fixed = lastOwner && role === 'owner'
  return (
    <Row
      mark={<Avatar of={user} size={32} />}
      title={<a href={userPath(user.username)}>{user.name ?? user.username}</a>}
      meta={
        <>
          {user.name !== null && <span>{user.username}</span>}
          <span>{rich('Joined {time}', { time: <RelativeTime at={joined_at} /> })}</span>
        </>
      }
      end={
        <>
          <Badge tone={role === 'owner' ? 'info' : 'plain'}>
            {role === 'owner' ? t('Owner') : t('Member')}
          </Badge>
          {owner && !fixed && (
            <ActionButton
              action={here}
              csrf={visit.csrf}
              values={{
                username: user.username,
                role: role === 'owner' ? 'member' : 'owner',
              }}
            >
              <Button small>{role === 'owner' ? t('Make member') : t('Make owner')}</Button>
            </ActionButton>
          )}
          {(owner || user.id === visit.viewer?.id) && !fixed && (
            <ActionButton
              action={`${here}/remove`}
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
}

/** The pages of the other lists, in the address. That of the members is `page`. */
const INVITATIONS_PAGE = 'invitations'
const OUTSIDE_PAGE = 'outside'
/** Of each of the lists, whose rows have forms. */
const PER_PAGE = 20

const ReviewHint = ({ workspace }: { workspace: string }) => (
  <p class="muted">
    {rich(
      'Several people can change the repositories of this workspace. <a>Require reviewed pull requests in all of them</a>.',
      {
        a: (inner) => (
          <a href={`${workspacePath(workspace, 'rulesets')}/new?preset=protect`}>{inner}</a>
        ),
      },
    )}
  </p>
)

export const membersPage = page({
  path: '/:workspace/-/members',
  load: async (visit) => {
    const slug = visit.params.workspace ?? ''
    const at = (page: number) => ({ workspace: slug, page, per_page: PER_PAGE })
    const [workspace, members] = await Promise.all([
      visit.call(getWorkspace, { workspace: slug }),
      loadPage(visit, (page) => visit.call(listMembers, at(page))),
    ])
    if (workspace.role !== 'owner') return { workspace, members, invitations: null, outside: null }
    const [invitations, outside] = await Promise.all([
      loadPage(visit, (page) => visit.call(listWorkspaceInvites, at(page)), INVITATIONS_PAGE),
      loadPage(visit, (page) => visit.call(listOutsideCollaborators, at(page)), OUTSIDE_PAGE),
    ])
    return { workspace, members, invitations, outside }
  },
  view: ({ workspace, members, invitations, outside }, visit) => {
    const owner = workspace.role === 'owner'
    // A workspace keeps at least one owner, who can be counted where the list is complete.
    const lastOwner =
      !members.hasNext &&
      members.page === 1 &&
      members.items.filter(({ role }) => role === 'owner').length === 1
    const here = workspacePath(workspace.slug, 'members')
    return (
      <WorkspaceFrame
        visit={visit}
        workspace={workspace}
        title={t('Members of {name}', { name: workspace.name })}
        current="members"
      >
        <PageHead
          title={t('Members')}
          lead={t('Owners manage the workspace; members create repositories, push and merge.')}
        />
        <List label={t('Members')}>
          {members.items.map((member) => (
            <MemberRow visit={visit} workspace={workspace} member={member} lastOwner={lastOwner} />
          ))}
        </List>
        <RowSteps
          list={members}
          here={onSamePage(visit, here, INVITATIONS_PAGE, OUTSIDE_PAGE)}
          label={t('Members')}
        />
        {invitations && (
          <>
            <InvitationList
              visit={visit}
              invitations={invitations.items}
              revoke={`${here}/invite/revoke`}
            />
            <RowSteps
              list={invitations}
              here={onSamePage(visit, here, 'page', OUTSIDE_PAGE)}
              name={INVITATIONS_PAGE}
              label={t('Invitations')}
            />
          </>
        )}
        {owner && members.items.length > 1 && <ReviewHint workspace={workspace.slug} />}
        {owner && <InviteMember visit={visit} workspace={workspace.slug} />}
        {outside && (
          <>
            <OutsideList people={outside.items} />
            <RowSteps
              list={outside}
              here={onSamePage(visit, here, 'page', INVITATIONS_PAGE)}
              name={OUTSIDE_PAGE}
              label={t('Outside collaborators')}
            />
          </>
        )}
      </WorkspaceFrame>
    )
  },
})

export const updateMemberForm = action({
  path: '/:workspace/-/members',
  submit: async (visit, fields) => {
    const workspace = visit.params.workspace ?? ''
    await visit.call(updateMember, {
      workspace,
      username: fields.text('username'),
      role: fields.text('role') === 'owner' ? 'owner' : 'member',
    })
    return redirectWithFlash(visit, workspacePath(workspace, 'members'), 'saved')
  },
})

export const removeMemberForm = action({
  path: '/:workspace/-/members/remove',
  submit: async (visit, fields) => {
    const workspace = visit.params.workspace ?? ''
    const username = fields.text('username')
    await visit.call(removeMember, { workspace, username })
    return redirectWithFlash(
      visit,
      username === visit.viewer?.username ? '/' : workspacePath(workspace, 'members'),
      'member-removed',
    )
  },
})
