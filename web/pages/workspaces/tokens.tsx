import { PERSONAL_AREAS, SCOPES } from '#core/scopes.ts'
import type { Token } from '#features/accounts/index.ts'
import {
  createWorkspaceToken,
  getWorkspace,
  listWorkspaceTokens,
  revokeWorkspaceToken,
  type Workspace,
} from '#features/workspaces/index.ts'
import {
  ActionButton,
  Button,
  Card,
  EmptyState,
  Field,
  FieldSet,
  Form,
  FormActions,
  List,
  PageHead,
  RelativeTime,
  Row,
  Select,
  TextArea,
  TokenSecret,
} from '../../components/index.ts'
import type { Html } from '../../jsx/html.ts'
import { workspacePath } from '../../paths.ts'
import {
  pageResponse,
  action,
  redirectWithFlash,
  page,
  type Visit,
  type Fields,
} from '../../site.ts'
import { Ticks } from '../accounts/scope-choice.tsx'
import { fieldError, formError } from '../shell.tsx'
import { loadPage, RowSteps, type ListPage } from '../row-form.tsx'
import { WorkspaceSettingsFrame } from './frame.tsx'
import { roleWord } from '../../messages.ts'
import { localized, rich, t } from '../../text.ts'

const EXPIRIES = localized([
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '366', label: '1 year' },
])
const ROLES = ['read', 'triage', 'write', 'maintain'] as const
const roleOptions = () => ROLES.map((value) => ({ value, label: roleWord(value) }))
const SCOPES_OF_WORKSPACES = SCOPES.filter(
  (scope) => !PERSONAL_AREAS.has(scope.split(':')[0] ?? ''),
)

const PER_PAGE = 50

const slugOf = (visit: Visit): string => visit.params.workspace ?? ''

const TokenRow = ({
  token,
  action: address,
  csrf,
}: {
  token: Token
  action: string
  csrf: string
}) => (
  <Row
    title={
      <>
        <strong>{token.name}</strong> <code>…{token.last_four}</code>
      </>
    }
    meta={
      <>
        {token.role !== null && <span>{roleWord(token.role)}</span>}
        <span>{token.scopes?.join(', ')}</span>
        <span>
          {token.repos === null
            ? t('All repositories')
            : t('Only {repos}', {
                repos: token.repos.join(', ') || t('repositories that are gone'),
              })}
        </span>
        <span>
          {token.last_used_at === null
            ? t('Never used')
            : rich('Last used {time}', { time: <RelativeTime at={token.last_used_at} /> })}
        </span>
        {token.expires_at !== null && (
          <span>{rich('Expires {time}', { time: <RelativeTime at={token.expires_at} /> })}</span>
        )}
      </>
    }
    end={
      <ActionButton action={`${address}/revoke`} csrf={csrf} values={{ id: token.id }}>
        <Button small variant="danger">
          {t('Revoke')}
        </Button>
      </ActionButton>
    }
  />
)

type TokensData = {
  workspace: Workspace
  tokens: ListPage<Token>
  made: { name: string; secret: string } | null
}

const NewTokenCard = ({
  visit,
  here,
  made,
  typed,
}: {
  visit: Visit
  here: string
  made: TokensData['made']
  typed: Fields
}) => (
  <Card title={t('New token')}>
    <Form
      action={here}
      csrf={visit.csrf}
      error={formError(visit, 'name', 'role', 'expires_in_days', 'repos', 'scopes')}
    >
      <Field
        name="name"
        label={t('Name')}
        required
        maxlength={64}
        hint={t('What will use it, so that you know later what to revoke.')}
        value={made ? '' : typed.text('name')}
        error={fieldError(visit, 'name')}
      />
      <Select
        name="role"
        label={t('Maximum role on a repository')}
        required
        options={roleOptions()}
        value={typed.optional('role') ?? 'write'}
        error={fieldError(visit, 'role')}
      />
      <Select
        name="expires_in_days"
        label={t('Expires after')}
        required
        options={EXPIRIES}
        value={typed.optional('expires_in_days') ?? '90'}
        error={fieldError(visit, 'expires_in_days')}
      />
      <TextArea
        name="repos"
        label={t('Repositories')}
        rows={2}
        mono
        hint={t('One workspace/name a line. All when empty.')}
        value={made ? '' : typed.text('repos')}
        error={fieldError(visit, 'repos')}
      />
      <FieldSet legend={t('Scopes')} error={fieldError(visit, 'scopes')}>
        <Ticks scopes={SCOPES_OF_WORKSPACES} ticked={made ? [] : typed.all('scopes')} />
      </FieldSet>
      <FormActions>
        <Button variant="primary">{t('Create token')}</Button>
      </FormActions>
    </Form>
  </Card>
)

const TokensView = ({ visit, workspace, tokens, made }: TokensData & { visit: Visit }): Html => {
  const here = workspacePath(workspace.slug, 'settings/tokens')
  const typed = visit.form.values
  return (
    <WorkspaceSettingsFrame
      visit={visit}
      workspace={workspace}
      title={t('Tokens of {name}', { name: workspace.name })}
      part="tokens"
    >
      <PageHead
        title={t('Tokens')}
        lead={t(
          'For programs that act as {name} and not as a person. They stay valid when the person who created them leaves.',
          { name: workspace.name },
        )}
      />
      {made && (
        <TokenSecret secret={made.secret}>
          {rich('This is the token {name}. Save it in your password manager.', { name: made.name })}
        </TokenSecret>
      )}
      {tokens.items.length === 0 ? (
        <EmptyState icon="key" title={t('No tokens yet')}>
          {t('Create one below for a build server, a bot or another program.')}
        </EmptyState>
      ) : (
        <List label={t('Tokens')}>
          {tokens.items.map((token) => (
            <TokenRow token={token} action={here} csrf={visit.csrf} />
          ))}
        </List>
      )}
      <RowSteps list={tokens} here={here} label={t('Pages of tokens')} />
      <NewTokenCard visit={visit} here={here} made={made} typed={typed} />
    </WorkspaceSettingsFrame>
  )
}

async function load(visit: Visit): Promise<Omit<TokensData, 'made'> | null> {
  const workspace = await visit.call(getWorkspace, { workspace: slugOf(visit) })
  return workspace.role === 'owner'
    ? {
        workspace,
        tokens: await loadPage(visit, (page) =>
          visit.call(listWorkspaceTokens, {
            workspace: workspace.slug,
            page,
            per_page: PER_PAGE,
          }),
        ),
      }
    : null
}

export const workspaceTokensPage = page({
  path: '/:workspace/-/settings/tokens',
  load,
  view: (shown, visit) => <TokensView visit={visit} {...shown} made={null} />,
})

/**
 * Responds with the page and not with a redirect, because the secret is shown once and not stored.
 */
const newTokenForm = action({
  path: '/:workspace/-/settings/tokens',
  page: workspaceTokensPage,
  submit: async (visit, fields) => {
    const repos = fields.list('repos', /[\s,]+/)
    const made = await visit.call(createWorkspaceToken, {
      workspace: slugOf(visit),
      name: fields.text('name').trim(),
      scopes: fields.all('scopes').filter((scope) => scope !== ''),
      role: ROLES.find((role) => role === fields.text('role')),
      expires_in_days: Number(fields.optional('expires_in_days') ?? 90),
      ...(repos.length > 0 ? { repos } : {}),
    })
    const shown = await load(visit)
    if (shown === null) return workspacePath(slugOf(visit))
    const view = (
      <TokensView visit={visit} {...shown} made={{ name: made.name, secret: made.secret ?? '' }} />
    )
    return pageResponse(visit, view)
  },
})

const revokeTokenForm = action({
  path: '/:workspace/-/settings/tokens/revoke',
  submit: async (visit, fields) => {
    await visit.call(revokeWorkspaceToken, { workspace: slugOf(visit), id: fields.text('id') })
    return redirectWithFlash(
      visit,
      workspacePath(slugOf(visit), 'settings/tokens'),
      'token-revoked',
    )
  },
})

export const workspaceTokenForms = [newTokenForm, revokeTokenForm]
