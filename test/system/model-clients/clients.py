"""The clients of OpenAI, Anthropic and Google for Python. Arguments: the address of the gateway, a token."""

import json
import sys

import anthropic
import openai
from google import genai
from google.genai import errors, types

BASE, KEY = sys.argv[1:3]
one = openai.OpenAI(base_url=BASE + "/v1", api_key=KEY, max_retries=0)
other = anthropic.Anthropic(base_url=BASE, api_key=KEY, max_retries=0)
third = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=BASE))
PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}}
EXPECTED = ["Look here.", "look", {"path": "a"}]
failures = 0


def step(name, got, wanted):
    global failures
    try:
        value = got()
        if value != wanted:
            raise AssertionError(f"got {value!r}, wanted {wanted!r}")
        print("ok", name)
    except Exception as error:  # Every failure of a client counts.
        failures += 1
        print(f"FAILED {name}: {error!r}")


chat = {
    "model": "code",
    "messages": [{"role": "user", "content": "Look at a."}],
    "tools": [{"type": "function", "function": {"name": "look", "parameters": PARAMETERS}}],
}


def of_chat(completion):
    message = completion.choices[0].message
    call = message.tool_calls[0].function
    return [message.content, call.name, json.loads(call.arguments)]


def chat_stream():
    with one.chat.completions.stream(**chat) as stream:
        return of_chat(stream.get_final_completion())


def of_responses(response):
    call = next(item for item in response.output if item.type == "function_call")
    return [response.output_text, call.name, json.loads(call.arguments)]


responses = {
    "model": "code",
    "input": "Look at a.",
    "tools": [{"type": "function", "name": "look", "parameters": PARAMETERS, "strict": False}],
}


def responses_stream():
    with one.responses.stream(**responses) as stream:
        return of_responses(stream.get_final_response())


messages = {
    "model": "code",
    "max_tokens": 1000,
    "messages": [{"role": "user", "content": "Look at a."}],
    "tools": [{"name": "look", "input_schema": PARAMETERS}],
}


def of_messages(message):
    call = next(block for block in message.content if block.type == "tool_use")
    text = next(block for block in message.content if block.type == "text")
    return [text.text, call.name, call.input]


def messages_stream():
    with other.messages.stream(**messages) as stream:
        return of_messages(stream.get_final_message())


LOOK = types.FunctionDeclaration(
    name="look", description="Looks.", parameters_json_schema=PARAMETERS
)
GENERATE = {
    "model": "code",
    "contents": "Look at a.",
    "config": types.GenerateContentConfig(
        system_instruction="Be short.",
        max_output_tokens=1000,
        tools=[types.Tool(function_declarations=[LOOK])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    ),
}


def of_generate(responses):
    parts = [part for one in responses for part in one.candidates[0].content.parts or []]
    call = next(part.function_call for part in parts if part.function_call)
    total = responses[-1].usage_metadata.total_token_count
    return ["".join(part.text or "" for part in parts), call.name, call.args, total]


def generate_refused():
    stranger = genai.Client(api_key="hthu_none", http_options=types.HttpOptions(base_url=BASE))
    try:
        stranger.models.generate_content(**GENERATE)
    except errors.ClientError as error:
        return error.code


def refused():
    try:
        openai.OpenAI(base_url=BASE + "/v1", api_key="hthu_none").models.list()
    except openai.AuthenticationError:
        try:
            anthropic.Anthropic(base_url=BASE, api_key="hthu_none").messages.create(**messages)
        except anthropic.AuthenticationError:
            return True
    return False


step("openai models", lambda: [model.id for model in one.models.list()], ["code", "embed"])
step("openai chat", lambda: of_chat(one.chat.completions.create(**chat)), EXPECTED)
step("openai chat stream", chat_stream, EXPECTED)
step("openai responses", lambda: of_responses(one.responses.create(**responses)), EXPECTED)
step("openai responses stream", responses_stream, EXPECTED)
step(
    "openai embeddings",
    lambda: len(one.embeddings.create(model="embed", input=["a", "b"], encoding_format="float").data),
    2,
)
step("anthropic messages", lambda: of_messages(other.messages.create(**messages)), EXPECTED)
step("anthropic messages stream", messages_stream, EXPECTED)
step(
    "anthropic count_tokens",
    lambda: other.messages.count_tokens(model="code", messages=messages["messages"]).input_tokens > 10,
    True,
)
step("google generate_content", lambda: of_generate([third.models.generate_content(**GENERATE)]), [*EXPECTED, 120])
step(
    "google generate_content stream",
    lambda: of_generate(list(third.models.generate_content_stream(**GENERATE))),
    [*EXPECTED, 120],
)
step(
    "google count_tokens",
    lambda: third.models.count_tokens(model="code", contents="Look at a.").total_tokens > 10,
    True,
)
step("google models", lambda: [model.name for model in third.models.list()], ["models/code", "models/embed"])
step("google refusals", generate_refused, 401)
step("refusals are errors of their kind", refused, True)
sys.exit(1 if failures else 0)
