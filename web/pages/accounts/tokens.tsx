import { SCOPES } from '#core/scopes.ts'
import {
  createSettingsToken,
  listTokens,
  revokeToken,
  type Token,
} from '#features/accounts/index.ts'
import { Button } from '../../components/button.tsx'
import { Card, EmptyState, TokenSecret } from '../../components/card.tsx'
import {
  ActionButton,
  Checkbox,
  Field,
  FieldSet,
  Form,
  FormActions,
  Select,
  TextArea,
} from '../../components/form.tsx'
import { List, Row } from '../../components/rows.tsx'
import { Chip } from '../../components/state.tsx'
import { RelativeTime } from '../../components/time.tsx'
import type { Html } from '../../jsx/html.ts'
import { pageResponse, action, redirectWithFlash, page, type Visit } from '../../site.ts'
import { fieldError, formError } from '../shell.tsx'
import { loadPage, RowSteps, type ListPage } from '../row-form.tsx'
import { SettingsFrame } from './settings-frame.tsx'
import { localized, rich, t } from '../../text.ts'

const EXPIRIES = localized([
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'never', label: 'Never' },
])

const TokenRow = ({ token, csrf }: { token: Token; csrf: string }) => (
  <Row
    title={
      <>
        <strong>{token.name}</strong> <code>…{token.last_four}</code>
      </>
    }
    meta={
      <>
        <span>
          {token.scopes === null
            ? t('Full rights')
            : token.scopes.length === 0
              ? t('No scopes')
              : token.scopes.join(', ')}
        </span>
        {token.repos !== null && (
          <span>
            {rich('Only {repos}', {
              repos: token.repos.join(', ') || t('repositories that are gone'),
            })}
          </span>
        )}
        <span>
          {token.last_used_at === null
            ? t('Never used')
            : rich('Last used {time}', { time: <RelativeTime at={token.last_used_at} /> })}
        </span>
        <span>
          {token.expires_at === null
            ? t('Never expires')
            : rich('Expires {time}', { time: <RelativeTime at={token.expires_at} /> })}
        </span>
      </>
    }
    end={
      <>
        {token.source !== 'settings' && <Chip>{token.source}</Chip>}
        <ActionButton action="/settings/tokens/revoke" csrf={csrf} values={{ id: token.id }}>
          <Button small variant="danger">
            {t('Revoke')}
          </Button>
        </ActionButton>
      </>
    }
  />
)

/** What a new form begins with: the values of its address, as links of other pages name them. */
function presetsOf({ url, form: { error } }: Visit): { name: string; scopes: readonly string[] } {
  if (error !== null) return { name: '', scopes: [] }
  return {
    name: (url.searchParams.get('name') ?? url.searchParams.get('description') ?? '').slice(0, 64),
    scopes: url.searchParams.getAll('scopes').flatMap((list) => list.split(/[\s,]+/)),
  }
}

const TokenLimits = ({ visit, ticked }: { visit: Visit; ticked: readonly string[] }) => (
  <details
    class="more"
    open={
      SCOPES.some((scope) => ticked.includes(scope)) ||
      visit.form.values.optional('repos') !== undefined
    }
  >
    <summary>{t('Limit permissions')}</summary>
    <TextArea
      name="repos"
      label={t('Repositories')}
      rows={2}
      mono
      hint={t('One workspace/name a line. All when empty.')}
      value={visit.form.values.text('repos')}
      error={fieldError(visit, 'repos')}
    />
    <FieldSet
      legend={t('Scopes')}
      hint={t('None ticked means the full rights of your account.')}
      error={fieldError(visit, 'scopes')}
    >
      <div class="tick-grid">
        {SCOPES.map((scope) => (
          <Checkbox
            name="scopes"
            value={scope}
            label={<code>{scope}</code>}
            checked={ticked.includes(scope)}
          />
        ))}
      </div>
    </FieldSet>
  </details>
)

const NewTokenCard = ({
  visit,
  made,
}: {
  visit: Visit
  made: { name: string; secret: string } | null
}) => {
  const presets = presetsOf(visit)
  const { values } = visit.form
  return (
    <Card title={t('New token')}>
      <Form
        action="/settings/tokens"
        csrf={visit.csrf}
        error={formError(visit, 'name', 'expires', 'scopes', 'repos')}
      >
        <Field
          name="name"
          label={t('Name')}
          required
          maxlength={64}
          hint={t('What will use it, so that you know later what to revoke.')}
          value={made ? '' : values.text('name') || presets.name}
          error={fieldError(visit, 'name')}
        />
        <Select
          name="expires"
          label={t('Expires after')}
          required
          options={EXPIRIES}
          value={visit.form.values.optional('expires') ?? '365'}
          error={fieldError(visit, 'expires')}
        />
        <TokenLimits visit={visit} ticked={[...values.all('scopes'), ...presets.scopes]} />
        <FormActions>
          <Button variant="primary">{t('Create token')}</Button>
        </FormActions>
      </Form>
    </Card>
  )
}

const TokensView = ({
  visit,
  tokens,
  made,
}: {
  visit: Visit
  tokens: ListPage<Token>
  made: { name: string; secret: string } | null
}): Html => (
  <SettingsFrame
    visit={visit}
    title={t('Access tokens')}
    current="tokens"
    lead={t('For git over HTTPS (as the password), the API and agents.')}
  >
    {made && (
      <TokenSecret secret={made.secret}>
        {rich('This is the token {name}. Save it in your password manager.', { name: made.name })}
      </TokenSecret>
    )}
    <NewTokenCard visit={visit} made={made} />
    {tokens.items.length === 0 ? (
      <EmptyState icon="key" title={t('No tokens yet')}>
        {t('Create one to clone and push over HTTPS, or to give an agent access.')}
      </EmptyState>
    ) : (
      <List label={t('Your tokens')}>
        {tokens.items.map((token) => (
          <TokenRow token={token} csrf={visit.csrf} />
        ))}
      </List>
    )}
    <RowSteps list={tokens} here="/settings/tokens" label={t('Pages of tokens')} />
  </SettingsFrame>
)

const PER_PAGE = 50

const loadTokens = (visit: Visit): Promise<ListPage<Token>> =>
  loadPage(visit, (page) => visit.call(listTokens, { page, per_page: PER_PAGE }))

export const tokensPage = page({
  path: '/settings/tokens',
  load: async (visit) => ({ tokens: await loadTokens(visit) }),
  view: ({ tokens }, visit) => <TokensView visit={visit} tokens={tokens} made={null} />,
})

/**
 * Responds with the page and not with a redirect, because the secret is shown once and not stored.
 */
export const createTokenForm = action({
  path: '/settings/tokens',
  page: tokensPage,
  submit: async (visit, fields) => {
    const scopes = fields.all('scopes').filter((scope) => scope !== '')
    const repos = fields.list('repos', /[\s,]+/)
    const made = await visit.call(createSettingsToken, {
      name: fields.text('name').trim(),
      expires: fields.optional('expires'),
      ...(scopes.length > 0 ? { scopes } : {}),
      ...(repos.length > 0 ? { repos } : {}),
    })
    const tokens = await loadTokens(visit)
    const shown = (
      <TokensView
        visit={visit}
        tokens={tokens}
        made={{ name: made.name, secret: made.secret ?? '' }}
      />
    )
    return pageResponse(visit, shown)
  },
})

export const revokeTokenForm = action({
  path: '/settings/tokens/revoke',
  submit: async (visit, fields) => {
    await visit.call(revokeToken, { id: fields.text('id') })
    return redirectWithFlash(visit, '/settings/tokens', 'token-revoked')
  },
})
