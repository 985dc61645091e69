import { Button, Group, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { z } from 'zod'
import { PageHeader } from '../../components/page-header.tsx'
import { useForm } from '../../schema-form/form.ts'
import { ApiError } from '../../service/errors.ts'
import { type Api, useApi, useWorkspace } from '../../service/session.ts'
import { documentTexts } from '../../texts/documents.ts'
import { useConnectorTypes } from '../connectors/queries.ts'
import { recordIdsIn } from '../lab/record-address.ts'

const texts = documentTexts.open

/** The screen without a document. */
export function OpenDocument() {
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <OpenForm />
    </>
  )
}

/** Opens a document by its record id or its address in the source. */
export function OpenForm() {
  const { id: workspaceId } = useWorkspace()
  const navigate = useNavigate()
  const api = useApi()
  const addresses = useConnectorTypes().data?.flatMap((type) => type.document_addresses) ?? []
  const schema = z.object({
    record: z
      .string()
      .trim()
      .min(1, texts.missing)
      .refine((text) => recordIdsIn(text, addresses).length > 0, texts.noId),
  })
  const form = useForm({
    schema,
    initial: { record: '' },
    submit: async ({ record }) =>
      navigate({
        to: '/w/$workspaceId/documents',
        params: { workspaceId },
        search: { record: await firstKnown(api, recordIdsIn(record, addresses)) },
      }),
  })
  return (
    <form {...form.form} aria-label={texts.label}>
      <Group gap="sm" align="flex-start" maw={720}>
        <TextInput
          label={texts.field}
          placeholder={texts.example}
          autoComplete="off"
          flex="1 1 280px"
          ta="start"
          {...form.field('record')}
        />
        <Button type="submit" variant="default" mt={{ base: 0, xs: 26 }}>
          {texts.action}
        </Button>
      </Group>
    </form>
  )
}

/** An address can match two record ids; uses the known one. */
async function firstKnown(api: Api, ids: string[]): Promise<string | undefined> {
  const [first, ...others] = ids
  if (others.length === 0) return first
  try {
    await api.get('/documents', { query: { record_id: first } })
    return first
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    return firstKnown(api, others)
  }
}
