#!/usr/bin/python3
"""A person at the broker, by AMQP and with every right: in the Debian of the trial, certificates in /srv.

    at_broker.py HOST:PORT unbind|bind|publish KEY [BODY]
"""
import ssl
import sys

import pika

host, _, port = sys.argv[1].rpartition(":")
context = ssl.create_default_context(cafile="/srv/ca.pem")
context.load_cert_chain("/srv/operator.pem", "/srv/operator.key")
broker = pika.ConnectionParameters(
    host, int(port), credentials=pika.credentials.ExternalCredentials(), ssl_options=pika.SSLOptions(context, host))
with pika.BlockingConnection(broker) as connection:
    channel = connection.channel()
    what, key = sys.argv[2:4]
    if what == "unbind":
        channel.queue_unbind("record", "amq.topic", key)
    elif what == "bind":
        channel.queue_bind("record", "amq.topic", key)
    else:
        channel.confirm_delivery()
        # Without this one it is of QoS 0 for the board.
        lasting = pika.BasicProperties(delivery_mode=2)
        channel.basic_publish("amq.topic", key, sys.argv[4].encode(), lasting, mandatory=True)
