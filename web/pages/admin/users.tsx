import {
  createAccountLink,
  listUsers,
  resetTwoFactor,
  suspendUser,
  unsuspendUser,
  USER_STATES,
  type SiteUser,
  type UserState,
} from '#features/accounts/index.ts'
import { Avatar } from '../../components/avatar.tsx'
import { Button, LinkButton } from '../../components/button.tsx'
import { EmptyState, TokenSecret } from '../../components/card.tsx'
import { ActionButton, Field, Form, FormActions } from '../../components/form.tsx'
import { Pagination } from '../../components/pagination.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Badge, Chip } from '../../components/state.tsx'
import { FilterBar } from '../../components/tabs.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { userPath, withQuery } from '../../paths.ts'
import {
  action,
  pageResponse,
  redirectWithFlash,
  page,
  type OutputOf,
  type Visit,
} from '../../site.ts'
import { sendsMail } from '../accounts/sends-mail.ts'
import { loadPage } from '../row-form.tsx'
import { AdminFrame } from './frame.tsx'
import { sentenceCase } from '../../format.ts'
import { rich, t } from '../../text.ts'
import { stateWord } from '../../messages.ts'

const SIZE = 20
const LINK_FORM = '/admin/users/link'
const TONES = { active: 'good', suspended: 'bad', unconfirmed: 'wait' } as const

const stateOf = (text: string | null): UserState | undefined =>
  USER_STATES.find((state) => state === text)

/** Where no mail is sent, the links that would be mailed are created here. */
const LinkButtons = ({ visit, user }: { visit: Visit; user: SiteUser }) => (
  <div class="actions">
    {(user.state === 'unconfirmed' ? (['confirm', 'reset'] as const) : (['reset'] as const)).map(
      (kind) => (
        <ActionButton
          action={LINK_FORM}
          csrf={visit.csrf}
          values={{ username: user.username, kind }}
        >
          <Button small icon="link">
            {kind === 'confirm' ? t('Create confirmation link') : t('Create password link')}
          </Button>
        </ActionButton>
      ),
    )}
  </div>
)

const UserChanges = ({ visit, user }: { visit: Visit; user: SiteUser }) => (
  <details class="more">
    <summary>{t('Change')}</summary>
    {user.state === 'suspended' ? (
      <ActionButton
        action="/admin/users/unsuspend"
        csrf={visit.csrf}
        values={{ username: user.username }}
      >
        <Button>{t('Unsuspend')}</Button>
      </ActionButton>
    ) : (
      <Form
        action="/admin/users/suspend"
        csrf={visit.csrf}
        label={t('Suspend {username}', { username: user.username })}
      >
        <input type="hidden" name="username" value={user.username} />
        <Field
          id={`reason-${user.username}`}
          name="reason"
          label={t('Why')}
          maxlength={500}
          hint={t('For other administrators.')}
        />
        <FormActions>
          <Button variant="danger">{t('Suspend')}</Button>
        </FormActions>
      </Form>
    )}
    {!sendsMail(visit) && user.state !== 'suspended' && <LinkButtons visit={visit} user={user} />}
    {user.two_factor_enabled && (
      <ActionButton
        action="/admin/users/reset-two-factor"
        csrf={visit.csrf}
        values={{ username: user.username }}
      >
        <Button variant="danger">{t('Remove all second factors')}</Button>
      </ActionButton>
    )}
  </details>
)

const UserRow = ({ user, visit }: { user: SiteUser; visit: Visit }) => (
  <Row
    mark={<Avatar of={{ username: user.username, name: user.name }} size={24} />}
    title={
      <>
        <a class="strong" href={userPath(user.username)}>
          {user.username}
        </a>{' '}
        {user.name && <span class="muted">{user.name}</span>}
      </>
    }
    meta={
      <>
        <Badge tone={TONES[user.state]}>{stateWord(user.state)}</Badge>
        {user.site_admin && <Chip icon="shield">{sentenceCase(t('administrator'))}</Chip>}
        {user.two_factor_enabled && <Chip icon="key">{sentenceCase(t('two-factor'))}</Chip>}
        <span>{user.email}</span>
        <span>{rich('Created {time}', { time: <RelativeTime at={user.created_at} /> })}</span>
        {user.suspended_reason && (
          <span>
            {rich('Suspended: {suspended_reason}', { suspended_reason: user.suspended_reason })}
          </span>
        )}
      </>
    }
  >
    {user.id !== visit.viewer?.id && <UserChanges visit={visit} user={user} />}
  </Row>
)

type UsersData = {
  readonly items: readonly SiteUser[]
  readonly total: number
  readonly q: string
  readonly state: UserState | undefined
  readonly number: number
}
type NewLink = OutputOf<typeof createAccountLink>

/** A new link, which is shown once. */
const LinkNotice = ({ link }: { link: NewLink }) => (
  <TokenSecret secret={link.url}>
    {rich('Send this link to {username}. It works once, until {time}.', {
      username: link.username,
      time: <RelativeTime at={link.expires_at} />,
    })}
  </TokenSecret>
)

const loadUsers = async (visit: Visit): Promise<UsersData> => {
  const { searchParams } = visit.url
  const q = (searchParams.get('q') ?? '').trim().slice(0, 200)
  const state = stateOf(searchParams.get('state'))
  const { items, total, page } = await loadPage(visit, (page) =>
    visit.call(listUsers, {
      ...(q === '' ? {} : { q }),
      ...(state ? { state } : {}),
      page,
      per_page: SIZE,
    }),
  )
  return { items, total: total ?? items.length, q, state, number: page }
}

const InviteLink = () => (
  <LinkButton href="/settings/invites" icon="plus">
    {t('Invite somebody')}
  </LinkButton>
)

const UsersView = ({
  data: { items, total, q, state, number },
  visit,
  link,
}: {
  data: UsersData
  visit: Visit
  link: NewLink | null
}) => {
  const href = (change: Record<string, string | number | undefined>) =>
    withQuery('/admin/users', { q: q || undefined, state, ...change })
  return (
    <AdminFrame
      visit={visit}
      title={t('Accounts')}
      lead={t('Everybody who can sign in here.')}
      actions={<InviteLink />}
    >
      {link && <LinkNotice link={link} />}
      <FilterBar
        label={t('State')}
        filters={[
          { label: t('All'), href: href({ state: undefined }), current: state === undefined },
          ...USER_STATES.map((one) => ({
            label: sentenceCase(stateWord(one)),
            href: href({ state: one }),
            current: state === one,
          })),
        ]}
      >
        <Form action="/admin/users" method="get" inline label={t('Find an account')}>
          {state && <input type="hidden" name="state" value={state} />}
          <Field
            name="q"
            label={t('Name or address')}
            hideLabel
            type="search"
            placeholder={t('Name or address')}
            value={q}
          />
          <Button>{t('Find')}</Button>
        </Form>
      </FilterBar>
      {items.length === 0 ? (
        <EmptyState
          icon="users"
          title={t('No accounts found')}
          actions={<LinkButton href="/admin/users">{t('Clear filters')}</LinkButton>}
        />
      ) : (
        <List label={t('Accounts')}>
          {items.map((user) => (
            <UserRow user={user} visit={visit} />
          ))}
        </List>
      )}
      <Pagination page={number} perPage={SIZE} total={total} href={(to) => href({ page: to })} />
    </AdminFrame>
  )
}

export const usersPage = page({
  path: '/admin/users',
  load: loadUsers,
  view: (data, visit) => <UsersView data={data} visit={visit} link={null} />,
})

/** Responds with the page and not with a redirect, because the link is shown once. */
export const accountLinkForm = action({
  path: LINK_FORM,
  page: usersPage,
  submit: async (visit, fields) => {
    const link = await visit.call(createAccountLink, {
      username: fields.text('username'),
      kind: fields.text('kind') === 'confirm' ? 'confirm' : 'reset',
    })
    const data = await loadUsers(visit)
    return pageResponse(visit, <UsersView data={data} visit={visit} link={link} />)
  },
})

export const suspendUserForm = action({
  path: '/admin/users/suspend',
  page: usersPage,
  submit: async (visit, fields) => {
    await visit.call(suspendUser, {
      username: fields.text('username'),
      reason: fields.text('reason'),
    })
    return redirectWithFlash(visit, '/admin/users', 'user-suspended')
  },
})

export const unsuspendUserForm = action({
  path: '/admin/users/unsuspend',
  submit: async (visit, fields) => {
    await visit.call(unsuspendUser, { username: fields.text('username') })
    return redirectWithFlash(visit, '/admin/users', 'user-unsuspended')
  },
})

export const resetTwoFactorForm = action({
  path: '/admin/users/reset-two-factor',
  submit: async (visit, fields) => {
    await visit.call(resetTwoFactor, { username: fields.text('username') })
    return redirectWithFlash(visit, '/admin/users', 'two-factor-reset')
  },
})
