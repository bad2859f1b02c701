# Sends mail in batches.
module Shop
  class Mailer
    BATCH_SIZE = 50

    attr_reader :delivered

    def initialize(transport, from:)
      @transport = transport
      @from = from
      @outbox = []
      @delivered = 0
    end

    def enqueue(to, subject, body)
      return if to.nil? || to.empty?

      @outbox << { from: @from, to: to.downcase, subject: subject[0, 78], body: body }
      flush! if @outbox.size >= BATCH_SIZE
    end

    def flush!
      batch = @outbox.uniq { |mail| [mail[:to], mail[:subject]] }
      @outbox.clear
      batch.each do |mail|
        @transport.deliver(mail)
        @delivered += 1
      rescue TransportError => error
        warn "mail to #{mail[:to]} failed: #{error.message}"
      end
    end
  end
end
