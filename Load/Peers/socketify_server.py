"""The peers' plain dialect on socketify (uWebSockets): /echo sends messages back, messages on /pub go to each /sub."""

import sys

from socketify import App, AppListenOptions, CompressOptions

app = App()


def settings(**handlers):
    return {"compression": CompressOptions.DISABLED, "max_payload_length": 1 << 20, "idle_timeout": 0,
            "max_backpressure": 64 << 20, **handlers}


app.ws("/echo", settings(message=lambda ws, message, opcode: ws.send(message, opcode)))
app.ws("/sub", settings(open=lambda ws: ws.subscribe("fan"), message=lambda ws, message, opcode: None))
app.ws("/pub", settings(message=lambda ws, message, opcode: app.publish("fan", message, opcode)))
app.listen(AppListenOptions(port=int(sys.argv[1]), host="127.0.0.1"),
           lambda config: print(f"listening on 127.0.0.1:{config.port}", flush=True))
app.run()
