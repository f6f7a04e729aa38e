#!/usr/bin/python3
"""The record as it must not end, or must not be.

    wrong.py dies      ends between a commit and its acknowledgement, at the tenth
    wrong.py hasty     acknowledges before it commits, which loses what is under way when it is killed
"""
import importlib.machinery
import importlib.util
import os
import sys

PROGRAM = "/mnt/homeward-record"
loader = importlib.machinery.SourceFileLoader("record", PROGRAM)
record = importlib.util.module_from_spec(importlib.util.spec_from_loader("record", loader))
loader.exec_module(record)


class Dying(record.Record):
    commits = 0

    def keep(self, connection):
        super().keep(connection)
        self.commits += 1
        if self.commits == 10:
            os._exit(9)


class Hasty(record.Record):
    def serve(self, place):
        acknowledge = record.pika.adapters.blocking_connection.BlockingChannel.basic_ack
        consume = record.pika.adapters.blocking_connection.BlockingChannel.basic_consume

        def hasty_consume(channel, queue, take):
            def take_it(inner, method, properties, body):
                acknowledge(channel, method.delivery_tag)
                take(inner, method, properties, body)
            consume(channel, queue, take_it)

        record.pika.adapters.blocking_connection.BlockingChannel.basic_consume = hasty_consume
        record.pika.adapters.blocking_connection.BlockingChannel.basic_ack = lambda *_, **__: None
        try:
            super().serve(place)
        finally:
            record.pika.adapters.blocking_connection.BlockingChannel.basic_consume = consume
            record.pika.adapters.blocking_connection.BlockingChannel.basic_ack = acknowledge


record.Record = {"dies": Dying, "hasty": Hasty}[sys.argv[1]]
record.main()
