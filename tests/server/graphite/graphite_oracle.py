#!/usr/bin/python3
"""Computes targets with the functions of graphite-web, without Django, a database or files.

graphite_oracle.py FOLDER FILE: FOLDER has the package graphite; FILE is a JSON document with `from`, `until`, `now`,
`targets`, `events`, each a time and its tags, and `series`, for each name `start`, `step` and `values`. The first line is
"functions: " and the names of all functions. For each target a line @TARGET is written, and one
for each series, "NAME START STEP: VALUE -", or "error: REASON".
"""
import json
import re
import sys
import types
from datetime import datetime, timedelta, tzinfo


def module(name, **members):
    """Puts a module in place of one that graphite-web would import."""
    made = types.ModuleType(name)
    for key, value in members.items():
        setattr(made, key, value)
    sys.modules[name] = made
    return made


class Quiet:
    def __getattr__(self, _):
        return lambda *_args, **_kwargs: None


class Settings:
    TIME_ZONE = "UTC"
    UTF8_METRICS = True
    DEFAULT_XFILES_FACTOR = 0
    RENDER_TRIM_RECENT_IN_AGGREGATE = False
    ENFORCE_INPUT_VALIDATION = True
    FUNCTION_PLUGINS = []
    REMOTE_STORE_MERGE_RESULTS = False


class TagDb:
    def parse(self, path):
        from graphite.tags.utils import TaggedSeries
        return TaggedSeries.parse(path)


class Store:
    tagdb = TagDb()


class Utc(tzinfo):
    """What the functions need of a zone of pytz."""

    def utcoffset(self, _):
        return timedelta(0)

    def dst(self, _):
        return timedelta(0)

    def tzname(self, _):
        return "UTC"

    def localize(self, time):
        return time.replace(tzinfo=self)

    def normalize(self, time):
        return time


UTC_ZONE = Utc()


class Event:
    """What events() needs of Django's model."""
    stored = []

    @staticmethod
    def find_events(time_from, time_until, tags=None):
        found = [e for e in Event.stored if time_from <= e.when <= time_until and set(tags or ()) <= e.tags]
        return sorted(found, key=lambda e: e.when)

    def __init__(self, time, *tags):
        self.when = datetime.fromtimestamp(time, UTC_ZONE)
        self.tags = set(tags)


def load(folder):
    """Imports graphite-web's evaluator, with everything in place that it does not need here."""
    sys.path.insert(0, folder)
    settings = Settings()
    module("django", __path__=[])
    module("django.http", HttpResponseBadRequest=object, HttpResponse=object)
    module("django.conf", settings=settings)
    module("pytz", timezone=lambda _: UTC_ZONE, utc=UTC_ZONE, UTC=UTC_ZONE)
    module("graphite.logger", log=Quiet())
    module("graphite.storage", STORE=Store())
    module("graphite.events")
    module("graphite.events.models", Event=Event)
    sys.modules["graphite.events"].models = sys.modules["graphite.events.models"]
    module("graphite.render.glyph", format_units=lambda v, **_: (v, ""))

    def epoch(time):
        return int(time.timestamp())

    def identity(function):
        return lambda *args, **kwargs: function(*args, timer=Quiet(), **kwargs)

    module("graphite.util", htmlEscape=str, is_unsafe_str=lambda _: False, epoch=epoch, epoch_to_dt=lambda s: datetime.fromtimestamp(s, UTC_ZONE),
           timestamp=epoch, deltaseconds=lambda delta: int(delta.total_seconds()), logtime=identity,
           timebounds=lambda context: tuple(epoch(context[k]) for k in ("startTime", "endTime", "now")))
    from graphite.render import evaluator
    return evaluator


def part_regex(part):
    text = re.sub(r"\\\{([^}]*)\\\}", lambda m: "(" + m.group(1).replace(",", "|") + ")",
                  re.escape(part).replace(r"\*", ".*").replace(r"\?", "."))
    return re.compile(text.replace(r"\[", "[").replace(r"\]", "]").replace(r"\-", "-") + "$")


def matches(pattern, name):
    if pattern == name:
        return True
    parts, own = pattern.split("."), name.split(".")
    return len(parts) == len(own) and all(part_regex(p).match(o) for p, o in zip(parts, own))


def tags_match(expressions, tags):
    for expression in expressions:
        key, operator, value = re.match(r"([^!=~]+)(!=~|=~|!=|=)(.*)", expression).groups()
        own = tags.get(key, "")
        held = bool(re.match(value, own)) if operator.endswith("~") else own == value
        if held == operator.startswith("!"):
            return False
    return True


def fetcher(evaluator, series):
    from graphite.render.datalib import TimeSeries

    def fetch(context, path):
        start, end = int(context["startTime"].timestamp()), int(context["endTime"].timestamp())
        found = []
        for name in sorted(series):
            one = series[name]
            step = one["step"]
            if path.startswith("seriesByTag("):
                expressions = re.findall(r"['\"](.*?)['\"]", path)
                if not tags_match(expressions, TagDb().parse(name).tags):
                    continue
            elif ";" in name or not matches(path, name):
                continue
            first = start - start % step + step
            last = end - end % step + step
            values = []
            for time in range(first, last, step):
                i = (time - one["start"]) // step
                values.append(one["values"][i] if 0 <= i < len(one["values"]) else None)
            made = TimeSeries(name, first, last, step, values, xFilesFactor=context.get("xFilesFactor"))
            made.pathExpression = path
            found.append(made)
        return found

    evaluator.fetchData = fetch
    evaluator.prefetchData = lambda *_: None


def text_of(value):
    return "-" if value is None else "%.12g" % (value if value != 0 else 0.0)


def main():
    evaluator = load(sys.argv[1])
    with open(sys.argv[2]) as file:
        document = json.load(file)
    fetcher(evaluator, document["series"])
    Event.stored = [Event(*event) for event in document["events"]]
    from graphite.render import functions
    print("functions: " + " ".join(sorted(functions.SeriesFunctions)))
    for target in document["targets"]:
        context = {"tzinfo": UTC_ZONE, "data": [], "localOnly": True, "targets": [target]}
        for key, name in (("startTime", "from"), ("endTime", "until"), ("now", "now")):
            context[key] = datetime.fromtimestamp(document[name], UTC_ZONE)
        print("@" + target)
        try:
            for series in evaluator.evaluateTarget(context, [target]):
                values = "".join(" " + text_of(value) for value in series)
                print("%s %d %d:%s" % (series.name, series.start, series.step, values))
        except Exception as error:  # each failure is an answer
            print("error: %s" % type(error).__name__)


if __name__ == "__main__":
    main()
