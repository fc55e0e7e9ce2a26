"""Curves that TensorBoard reads."""


def scalars(folder):
    """Values of each curve by step, as the last writer left them."""
    from tensorboardX.proto.event_pb2 import Event

    found = {}
    for path in sorted(folder.glob("events.*")):
        data = path.read_bytes()
        while data:
            size = int.from_bytes(data[:8], "little")
            event = Event.FromString(data[12 : 12 + size])
            data = data[16 + size :]
            for value in event.summary.value:
                found.setdefault(value.tag, {})[event.step] = value.simple_value
    return found
