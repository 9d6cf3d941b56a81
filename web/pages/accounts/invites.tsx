import { createInvite, listInvites, revokeInvite, type Invite } from '#features/accounts/index.ts'
import { listWorkspaces } from '#features/workspaces/index.ts'
import { Button } from '../../components/button.tsx'
import { Card, CopyField, EmptyState } from '../../components/card.tsx'
import { ActionButton, Field, Form, FormActions, Select } from '../../components/form.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Badge } from '../../components/state.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { action, redirectWithFlash, form, page, type Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { loadPage, RowSteps } from '../row-form.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { rich, t } from '../../text.ts'
import { stateWord } from '../../messages.ts'

const InviteRow = ({ invite, csrf }: { invite: Invite; csrf: string }) => (
  <Row
    title={
      invite.url ? (
        <CopyField label={t('Link')} hideLabel id={`link-${invite.id}`} value={invite.url} />
      ) : (
        <span>
          {invite.used_by
            ? t('Used by {username}', { username: invite.used_by.username })
            : t('Not used')}
        </span>
      )
    }
    meta={
      <>
        <span>
          {invite.email ? t('For {email}', { email: invite.email }) : t('For anyone with the link')}
        </span>
        {invite.workspace && (
          <span>{rich('Joins {workspace}', { workspace: invite.workspace })}</span>
        )}
        <span>{rich('Created {time}', { time: <RelativeTime at={invite.created_at} /> })}</span>
      </>
    }
    end={
      <>
        <Badge
          tone={invite.state === 'pending' ? 'wait' : invite.state === 'used' ? 'good' : 'plain'}
        >
          {stateWord(invite.state)}
        </Badge>
        {invite.state === 'pending' && (
          <ActionButton action="/settings/invites/revoke" csrf={csrf} values={{ id: invite.id }}>
            <Button small variant="danger">
              {t('Revoke')}
            </Button>
          </ActionButton>
        )}
      </>
    }
  />
)

const PER_PAGE = 30

/** A page of the list, which does not say by itself whether there are more. */
async function invitesOn(visit: Visit, page: number) {
  const load = (at: number) => visit.call(listInvites, { page: at, per_page: PER_PAGE })
  const { invites, left } = await load(page)
  const hasNext = invites.length === PER_PAGE && (await load(page + 1)).invites.length > 0
  return { items: invites, left, next: hasNext ? String(page + 1) : null }
}

export const invitesPage = page({
  path: '/settings/invites',
  load: async (visit) => {
    const [list, workspaces] = await Promise.all([
      loadPage(visit, (page) => invitesOn(visit, page)),
      visit.call(listWorkspaces, { per_page: 100 }),
    ])
    return { list, owned: workspaces.items.filter(({ role }) => role === 'owner') }
  },
  view: ({ list, owned }, visit) => (
    <SettingsFrame
      visit={visit}
      title={t('Invites')}
      current="invites"
      lead={t('A link to create an account here. It works once, for 30 days.')}
    >
      <Card title={t('New invite')}>
        <Form
          action="/settings/invites"
          csrf={visit.csrf}
          error={formError(visit, 'email', 'workspace')}
        >
          <Field
            name="email"
            label={t('Only for this address')}
            type="email"
            hint={t('No mail is sent: give them the link yourself.')}
            value={visit.form.values.text('email')}
            error={fieldError(visit, 'email')}
          />
          {owned.length > 0 && (
            <Select
              name="workspace"
              label={t('Joins the workspace')}
              options={[
                { value: '', label: t('None') },
                ...owned.map(({ slug, name }) => ({
                  value: slug,
                  label: name === slug ? slug : `${name} (${slug})`,
                })),
              ]}
              value={visit.form.values.text('workspace')}
              error={fieldError(visit, 'workspace')}
            />
          )}
          <FormActions>
            <Button variant="primary">{t('Create invite')}</Button>
            {list.left !== null && (
              <span class="muted">{rich('{left} left', { left: list.left })}</span>
            )}
          </FormActions>
        </Form>
      </Card>
      {list.items.length === 0 ? (
        <EmptyState icon="mail" title={t('No invites yet')}>
          {t('Create one above, and give its link to whoever should join.')}
        </EmptyState>
      ) : (
        <List label={t('Your invites')}>
          {list.items.map((invite) => (
            <InviteRow invite={invite} csrf={visit.csrf} />
          ))}
        </List>
      )}
      <RowSteps list={list} here="/settings/invites" label={t('Pages of invites')} />
    </SettingsFrame>
  ),
})

export const createInviteForm = form({
  path: '/settings/invites',
  page: invitesPage,
  operation: createInvite,
  input: (fields) => ({ email: fields.optional('email'), workspace: fields.optional('workspace') }),
  done: (_, visit) => redirectWithFlash(visit, '/settings/invites', 'invite-made'),
})

export const revokeInviteForm = action({
  path: '/settings/invites/revoke',
  submit: async (visit, fields) => {
    await visit.call(revokeInvite, { id: fields.text('id') })
    return redirectWithFlash(visit, '/settings/invites', 'invite-revoked')
  },
})
