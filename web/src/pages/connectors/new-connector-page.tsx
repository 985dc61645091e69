import { Alert, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useParams, useSearch } from '@tanstack/react-router'
import { TextLink } from '../../components/links.tsx'
import { NotFound } from '../../components/not-found.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { oneOf } from '../../shell/search-values.ts'
import { connectorsTexts as texts } from '../../texts/connectors.ts'
import { roleTexts } from '../../texts/roles.ts'
import { ConnectorForm } from './connector-form.tsx'
import { findType, offeredTypes, schemaConfig } from './connector-type.ts'
import { useConnectors, useConnectorTypes } from './queries.ts'
import { TypeDocumentation } from './type-documentation.tsx'
import { TypeTile } from './type-tile.tsx'
import { type ConnectorType, type Kind, kinds } from './types.ts'

/** A tile for each type, then the form of the chosen type. */
export function NewConnectorPage() {
  const params = useParams({ from: '/signed-in/w/$workspaceId/connectors/$kind/new' })
  const { type: chosen } = useSearch({ from: '/signed-in/w/$workspaceId/connectors/$kind/new' })
  const { role } = useWorkspace()
  const types = useConnectorTypes()
  const kind = oneOf(params.kind, kinds)
  if (!kind) return <NotFound />
  const offered = types.data && offeredTypes(types.data, kind)
  const [only, another] = offered ?? []
  const type = findType(types.data, kind, chosen ?? (another ? undefined : only?.type))

  if (!may(role, 'developer')) {
    return (
      <>
        <PageHeader title={texts.new[kind]} />
        <Alert variant="outline" icon={<IconLock size={18} />}>
          {texts.needsDeveloper(roleTexts[role].name)}
        </Alert>
      </>
    )
  }
  return (
    <>
      <PageHeader
        title={type ? texts.form.newTitle(type.title, kind) : texts.new[kind]}
        description={
          type ? (
            <>
              {type.about}
              <TypeDocumentation type={type} />
            </>
          ) : undefined
        }
      />
      {types.isError ? <QueryFailure query={types} /> : null}
      {type ? (
        <NewConnectorForm kind={kind} type={type} hasOtherTypes={another !== undefined} />
      ) : (
        <Stack gap="md">
          <Title order={2}>{texts.pick[kind]}</Title>
          <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }}>
            {offered?.map((each) => <TypeTile key={each.type} type={each} />) ?? <Skeleton height={112} />}
          </SimpleGrid>
        </Stack>
      )}
    </>
  )
}

/** An empty form, or a copy of another connector. */
function NewConnectorForm({
  kind,
  type,
  hasOtherTypes,
}: {
  kind: Kind
  type: ConnectorType
  hasOtherTypes: boolean
}) {
  const { from } = useSearch({ from: '/signed-in/w/$workspaceId/connectors/$kind/new' })
  const { id: workspaceId } = useWorkspace()
  const connectors = useConnectors(kind)
  if (from && connectors.isPending) return <Skeleton height={320} />
  if (from && connectors.isError) return <QueryFailure query={connectors} />
  const original = connectors.data?.find(({ id }) => id === from)
  return (
    <Stack gap="md">
      {original ? <Text c="dimmed">{texts.form.copied}</Text> : null}
      {hasOtherTypes && !original ? (
        <TextLink size="sm" to="/w/$workspaceId/connectors/$kind/new" params={{ workspaceId, kind }}>
          {texts.otherType}
        </TextLink>
      ) : null}
      <ConnectorForm
        key={from ?? ''}
        type={type}
        {...(original
          ? { copy: { name: texts.copyOf(original.name), config: schemaConfig(type, original.config) } }
          : {})}
      />
    </Stack>
  )
}
