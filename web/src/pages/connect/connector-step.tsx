import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { TextLink } from '../../components/links.tsx'
import { useApi, useWorkspace } from '../../service/session.ts'
import { may, type Workflow } from '../../service/types.ts'
import { connectTexts as texts } from '../../texts/connect.ts'
import { connectorsTexts } from '../../texts/connectors.ts'
import { roleTexts } from '../../texts/roles.ts'
import { sandboxTexts } from '../../texts/sandbox.ts'
import { CheckPanel } from '../connectors/check/check-panel.tsx'
import { findType, locationOf, offeredTypes } from '../connectors/connector-type.ts'
import { CreateIndex } from '../connectors/index/create-index.tsx'
import { checkQuery } from '../connectors/queries.ts'
import type { Connector, ConnectorType, Kind } from '../connectors/types.ts'
import { ConnectorFields } from './connector-fields.tsx'
import { ExistingWorkflow } from './existing-workflow.tsx'
import { GuideStep } from './guide-step.tsx'
import { SANDBOX, TypeChoice } from './type-choice.tsx'
import type { Guide } from './use-guide.ts'
import { UseSandbox } from './use-sandbox.tsx'

type Props = {
  number: number
  kind: Kind
  guide: Guide
  types: ConnectorType[]
  connectors: Connector[]
  chosen: Connector | undefined
  /** A workflow of the chosen source and destination. */
  existing: Workflow | undefined
}

/** Connects a source or a destination, and tests it. */
export function ConnectorStep(props: Props) {
  const { number, kind, guide, types, chosen } = props
  const type = findType(types, kind, chosen?.type)
  const place = type && chosen && !chosen.sandbox ? ` · ${locationOf(type, chosen.config)}` : ''
  return (
    <GuideStep
      number={number}
      title={texts.kinds[kind]}
      state={guide.step === kind ? 'open' : chosen ? 'done' : 'later'}
      summary={chosen ? chosen.name + place : null}
      onChange={() => void guide.go({ step: kind })}
    >
      <Stack gap="lg">
        {chosen && type ? <Chosen {...props} chosen={chosen} type={type} /> : <Choice {...props} />}
      </Stack>
    </GuideStep>
  )
}

type ChosenProps = Props & { chosen: Connector; type: ConnectorType }

function Chosen({ kind, guide, existing, chosen: { id, name, sandbox }, type }: ChosenProps) {
  const { id: workspaceId, role } = useWorkspace()
  const isDeveloper = may(role, 'developer')
  const next = kind === 'source' ? 'destination' : 'run'
  return (
    <>
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {texts.uses(name)}
        </Text>
        <Button
          variant="default"
          size="compact-xs"
          onClick={() => void guide.go({ [kind]: undefined, workflow: undefined, job: undefined })}
        >
          {texts.another[kind]}
        </Button>
        {sandbox ? null : (
          <TextLink
            size="sm"
            to="/w/$workspaceId/connectors/$kind/$connectorId"
            params={{ workspaceId, kind, connectorId: id }}
          >
            {texts.settings}
          </TextLink>
        )}
      </Group>
      {kind === 'destination' && existing ? (
        <ExistingWorkflow workflow={existing} />
      ) : sandbox ? (
        <Button w="fit-content" onClick={() => void guide.go({ step: next })}>
          {texts.next}
        </Button>
      ) : (
        <CheckPanel
          plain
          kind={kind}
          id={id}
          allowed={isDeveloper}
          next={<NextButton kind={kind} id={id} onNext={() => void guide.go({ step: next })} />}
        />
      )}
      {isDeveloper && type.capabilities.includes('create') ? (
        <CreateIndex id={id} terms={type.terms} />
      ) : null}
    </>
  )
}

function Choice({ kind, guide, types, connectors }: Props) {
  const { role } = useWorkspace()
  const offered = offeredTypes(types, kind)
  const [choice, setChoice] = useState(offered[0]?.type ?? '')
  const type = findType(types, kind, choice)
  const use = ({ id }: Connector) => guide.go({ [kind]: id, step: kind })
  return (
    <>
      {connectors.length > 0 ? (
        <Select
          maw={640}
          label={texts.use[kind]}
          placeholder={texts.usePlaceholder}
          data={connectors.map(({ id, name, sandbox }) => ({
            value: id,
            label: sandbox ? sandboxTexts.option(name) : name,
          }))}
          value={null}
          onChange={(id) => id && void guide.go({ [kind]: id, step: kind })}
        />
      ) : null}
      {may(role, 'developer') ? (
        <>
          <TypeChoice kind={kind} types={offered} value={choice} onChange={setChoice} />
          {choice === SANDBOX ? (
            <UseSandbox onCreated={({ id }) => guide.go({ destination: id, step: 'run' })} />
          ) : null}
          {type ? (
            <ConnectorFields
              key={type.type}
              type={type}
              taken={connectors.map(({ name }) => name)}
              onSaved={use}
            />
          ) : null}
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {connectorsTexts.needsDeveloper(roleTexts[role].name)}
        </Text>
      )}
    </>
  )
}

/** Takes the focus if the test ran on this page. */
function NextButton({ kind, id, onNext }: { kind: Kind; id: string; onNext: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  const { data } = useQuery(checkQuery(useApi(), kind, id))
  const reported = data?.reported_at
  useEffect(() => {
    if (reported && Date.now() - Date.parse(reported) < RECENT_MS) button.current?.focus()
  }, [reported])
  return (
    <Button ref={button} onClick={onNext}>
      {texts.next}
    </Button>
  )
}

/** Longer ago, the person did not wait for it. */
const RECENT_MS = 15_000
